"""From a pair over ranks and conditional quantiles to code lengths: Algorithm 1 of the paper."""
