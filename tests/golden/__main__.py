"""Record what the links show now: `python -m tests.golden 1.1`. What is recorded already stays as it is.

The file of a release is begun when it is made. Links that are new in `links.py` are added to it until the next one is.
"""

import argparse
import sys

from tests.golden.links import LINKS
from tests.golden.releases import links_of, number_of, path_of, recorded, releases, written
from tests.golden.shown import follow


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("release")
    release: str = asked.parse_args().release
    if releases() and number_of(release) < number_of(releases()[-1]):
        asked.error(f"{release} is past: its numbers stand. The newest is {releases()[-1]}.")
    known = links_of(release)
    with path_of(release).open("a", encoding="utf-8") as file:
        for chapter, links in LINKS.items():
            of_chapter = known.setdefault(chapter, {})
            for link in links:
                if link not in of_chapter:
                    of_chapter[link] = recorded(follow(chapter, link), of_chapter.get("", {}))
                    file.write(written(chapter, link, of_chapter[link]))
                    print(f"{chapter}?{link}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
