// The small pictures in the blocks: one canvas each, painted again only when it has other rows.

const SHARP = 2; // pixels of a canvas for one of the drawing's units, at the least: edges of numbers stay sharp

class Pictures {
  constructor(home, data, [width, height]) {
    const bytes = Uint8Array.from(atob(data.bytes), (letter) => letter.codePointAt(0));
    this.listed = data.pictures.map((picture) => {
      const [left, top, wide, tall] = picture.place;
      const [heads, rows, columns] = picture.size;
      const small = document.createElement("canvas"); // a pixel per number, and a gap between two heads
      small.width = heads * (columns + 1) - 1;
      small.height = rows;
      const canvas = document.createElement("canvas");
      canvas.width = small.width * Math.ceil((SHARP * wide) / small.width);
      canvas.height = rows * Math.ceil((SHARP * tall) / rows);
      canvas.style.cssText =
        `left:${(100 * left) / width}%;top:${(100 * top) / height}%;` +
        `width:${(100 * wide) / width}%;height:${(100 * tall) / height}%`;
      const own = bytes.subarray(picture.first, picture.first + heads * rows * columns);
      return { ...picture, canvas, small, rows: 0, bytes: own };
    });
    home.replaceChildren(...this.listed.map(({ canvas }) => canvas));
    this.colors = data.colors;
  }

  // Whether the page's own colours are those of the night
  dress() {
    const page = getComputedStyle(this.listed[0].canvas).getPropertyValue("--st-background-color").trim();
    const mode = brightness(page) < 0.5 ? "dark" : "light";
    if (mode === this.mode) return;
    this.mode = mode;
    this.ramps = Object.fromEntries(Object.entries(this.colors[mode]).map(([kind, stops]) => [kind, ramp(stops)]));
    for (const picture of this.listed) this.paint(picture);
  }

  show(index, rows) {
    const picture = this.listed[index];
    if (picture.rows === rows) return false;
    picture.rows = rows;
    this.paint(picture);
    return true;
  }

  paint({ canvas, small, size: [heads, all, columns], bytes, scale, rows }) {
    const brush = canvas.getContext("2d");
    brush.clearRect(0, 0, canvas.width, canvas.height);
    if (!rows) return;
    const image = new ImageData(small.width, rows);
    const colors = this.ramps[scale];
    for (let head = 0; head < heads; head += 1)
      for (let row = 0; row < rows; row += 1)
        for (let column = 0; column < columns; column += 1) {
          const byte = bytes[(head * all + row) * columns + column];
          // 127 is zero where there are signs
          const [red, green, blue] = colors[scale === "signed" ? Math.round((byte * 255) / 254) : byte];
          image.data.set([red, green, blue, 255], 4 * (row * small.width + head * (columns + 1) + column));
        }
    small.getContext("2d").putImageData(image, 0, 0);
    brush.imageSmoothingEnabled = false;
    const tall = (canvas.height / all) * rows;
    brush.drawImage(small, 0, 0, small.width, rows, 0, 0, canvas.width, tall);
  }
}

function channels(color) {
  if (color.startsWith("#")) return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return color.match(/[\d.]+/g)?.map(Number) ?? [255, 255, 255];
}

function brightness(color) {
  const [red, green, blue] = channels(color);
  return (0.3 * red + 0.6 * green + 0.1 * blue) / 255;
}

// 256 colours between evenly spaced stops
function ramp(stops) {
  const colors = stops.map(channels);
  return Array.from({ length: 256 }, (_, index) => {
    const at = (index / 255) * (colors.length - 1);
    const low = Math.min(Math.floor(at), colors.length - 2);
    return colors[low].map((part, channel) => Math.round(part + (at - low) * (colors[low + 1][channel] - part)));
  });
}
