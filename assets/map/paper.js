// On paper the map is whole, unless the reader has stopped it on the way, and in the light colours.

/** @import { Player } from "./player.js" */

/** @param {Player} player */
export function followPaper(player) {
  let before = 0;
  window.addEventListener("beforeprint", () => {
    before = player.moment;
    if (player.clock.playing || !before) player.show(player.story.last);
    player.pause();
    player.pictures.dress();
  });
  window.addEventListener("afterprint", () => {
    player.show(before);
    player.pictures.dress();
  });
}
