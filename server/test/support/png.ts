import { crc32, deflateSync } from 'node:zlib';

type Colour = readonly [red: number, green: number, blue: number];
/** The colour at a point; x and y from 0 to 1, y downwards. */
type Drawing = (x: number, y: number) => Colour;

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** PNG, 8 bits a colour, no filter. Source: W3C, "Portable Network Graphics (PNG) Specification", 2nd ed. */
export function png(width: number, height: number, draw: Drawing): Buffer {
  const lines = Buffer.alloc(height * (1 + 3 * width));
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const colour = draw(column / width, row / height);
      for (const [part, value] of colour.entries()) lines[row * (1 + 3 * width) + 1 + 3 * column + part] = value;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [chunk('IHDR', head), chunk('IDAT', deflateSync(lines)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]);
}
