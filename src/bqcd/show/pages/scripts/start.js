root.classList.add("scripted");
startTheme();
startCopying();
startPrinting();
startBenchmark();
startGraph();
startPairs();
