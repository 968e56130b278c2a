"""The release: everything of a draft written to one directory, byte for byte the same for the same draft.

Plain functions; the asset that calls them is in `assets.graph`.
"""

from assets.release.write import ReleaseRefused, write_release

__all__ = ["ReleaseRefused", "write_release"]
