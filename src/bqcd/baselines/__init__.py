"""Methods to compare with: one file each, with the class, what it rests on and its cards."""

from bqcd.baselines.anm import ANM
from bqcd.baselines.bicam import BiCAM
from bqcd.baselines.cdci import CDCI
from bqcd.baselines.chance import AlwaysFirst, Coin
from bqcd.baselines.cure import CURE
from bqcd.baselines.emd import EMD
from bqcd.baselines.gpi import GPI
from bqcd.baselines.gran import GRAN
from bqcd.baselines.grci import GRCI
from bqcd.baselines.heci import HECI
from bqcd.baselines.igci import IGCI
from bqcd.baselines.lingam import LiNGAM
from bqcd.baselines.loci import LOCI
from bqcd.baselines.pnl import PNL
from bqcd.baselines.reci import RECI
from bqcd.baselines.resit import RESIT
from bqcd.baselines.roche import ROCHE
from bqcd.baselines.slope import Slope
from bqcd.baselines.sloppy import Sloppy

__all__ = [
    "ANM",
    "CDCI",
    "CURE",
    "EMD",
    "GPI",
    "GRAN",
    "GRCI",
    "HECI",
    "IGCI",
    "LOCI",
    "PNL",
    "RECI",
    "RESIT",
    "ROCHE",
    "AlwaysFirst",
    "BiCAM",
    "Coin",
    "LiNGAM",
    "Slope",
    "Sloppy",
]
