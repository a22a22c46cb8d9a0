import { crc32, deflateSync } from 'node:zlib';

/** Files for the demo, drawn here, so that nobody else's pictures are used. */

type Colour = readonly [red: number, green: number, blue: number];
/** The colour at a point; x and y from 0 to 1, y downwards. */
type Drawing = (x: number, y: number) => Colour;

const mix = (a: Colour, b: Colour, share: number): Colour => [
  a[0] + (b[0] - a[0]) * share,
  a[1] + (b[1] - a[1]) * share,
  a[2] + (b[2] - a[2]) * share,
];

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

interface Mood {
  readonly sky: Colour;
  readonly horizon: Colour;
  readonly sea: Colour;
  /** The position of the lighthouse, from 0 to 1. */
  readonly tower: number;
}

const white: Colour = [244, 241, 232];
const red: Colour = [190, 52, 44];
const lamp: Colour = [255, 226, 138];

/** A lighthouse with its beam over the sea. */
const seascape =
  ({ sky, horizon, sea, tower }: Mood): Drawing =>
  (x, y) => {
    const half = 0.022 + 0.02 * y;
    const isTower = Math.abs(x - tower) < half && y > 0.3 && y < 0.78;
    if (isTower) return Math.floor((y - 0.3) / 0.096) % 2 === 0 ? white : red;
    if (Math.hypot((x - tower) * 1.6, y - 0.26) < 0.035) return lamp;
    if (Math.hypot((x - tower) * 0.9, (y - 0.86) * 1.3) < 0.14 && y > 0.74) return mix(sea, [40, 38, 36], 0.8);
    const wave = 0.02 * Math.sin(40 * x + 90 * y);
    const ground = y < 0.66 ? mix(sky, horizon, y / 0.66) : mix(mix(sea, horizon, 0.3), sea, (y - 0.66) / 0.34 + wave);
    const isBeam = Math.abs(y - 0.26) < 0.16 * Math.abs(x - tower) && y < 0.66;
    return isBeam ? mix(ground, lamp, 0.55 * Math.max(0, 1 - Math.abs(x - tower))) : ground;
  };

/** One page of text. Source: ISO 32000-1, "Portable document format". */
function pdf(lines: readonly string[]): Buffer {
  const shown = lines.map(
    (line, index) => `BT /F1 ${index === 0 ? 22 : 12} Tf 60 ${770 - 30 * index} Td (${line}) Tj ET`,
  );
  const content = shown.join('\n');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  return Buffer.from(
    `${text}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
  );
}

export interface DemoFile {
  readonly name: string;
  readonly type: string;
  readonly content: () => Buffer;
}

const picture = (name: string, mood: Mood): DemoFile => ({
  name: `${name}.png`,
  type: 'image/png',
  content: () => png(480, 300, seascape(mood)),
});

export const demoFiles: readonly DemoFile[] = [
  picture('whale-hall', { sky: [24, 58, 92], horizon: [120, 168, 190], sea: [16, 66, 96], tower: 0.8 }),
  picture('first-order-lens', { sky: [14, 22, 48], horizon: [72, 84, 128], sea: [12, 30, 58], tower: 0.5 }),
  picture('view-from-the-lantern', { sky: [112, 176, 220], horizon: [236, 240, 236], sea: [38, 104, 140], tower: 0.2 }),
  picture('clockwork', { sky: [92, 58, 48], horizon: [226, 170, 112], sea: [62, 66, 84], tower: 0.66 }),
  picture('harbour-in-winter', { sky: [168, 184, 198], horizon: [232, 236, 240], sea: [122, 146, 162], tower: 0.35 }),
  {
    name: 'visitor-guide.pdf',
    type: 'application/pdf',
    content: () =>
      pdf(['Skerry Point Lighthouse Museum', 'Open Tuesday to Sunday from ten.', 'The fog horn sounds at noon.']),
  },
];
