import { download } from '../../../lib/actions/download.ts';

/** Saves a drawing as a self-contained file, with its picture in it. A picture that cannot be read is left out. */
export async function saveDrawing(drawing: SVGSVGElement, name: string): Promise<void> {
  download(`${name}.svg`, 'image/svg+xml', [textOf(await standalone(drawing))]);
}

/** Of the longer side, pixels; a print of a page across. */
const maxSide = 2_400;

/** Saves the drawing as a PNG on white. */
export async function saveDrawingAsPng(drawing: SVGSVGElement, name: string): Promise<void> {
  const copy = await standalone(drawing);
  const { width, height } = drawing.viewBox.baseVal;
  const scale = maxSide / Math.max(width, height);
  const canvas = document.createElement('canvas');
  // A corridor may be thinner than a pixel.
  [canvas.width, canvas.height] = [width, height].map((side) => Math.max(1, Math.round(side * scale))) as [
    number,
    number,
  ];
  // Without an explicit size some browsers draw nothing.
  copy.setAttribute('width', String(canvas.width));
  copy.setAttribute('height', String(canvas.height));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(textOf(copy))}`;
  await image.decode();
  // A canvas that is new has one.
  const paper = canvas.getContext('2d') as CanvasRenderingContext2D;
  paper.fillStyle = '#fff';
  paper.fillRect(0, 0, canvas.width, canvas.height);
  paper.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob) download(`${name}.png`, 'image/png', [blob]);
}

/** Names may have characters that no drawing can hold. */
const textOf = (drawing: SVGSVGElement) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to go
  new XMLSerializer().serializeToString(drawing).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');

async function standalone(drawing: SVGSVGElement): Promise<SVGSVGElement> {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  // All of it, however much larger it is drawn.
  copy.removeAttribute('style');
  for (const image of copy.querySelectorAll('image')) {
    const address = await fetch(image.getAttribute('href') ?? '')
      .then((answer) => (answer.ok ? answer.blob() : Promise.reject(new Error(answer.statusText))))
      .then(dataUrlOf)
      .catch(() => undefined);
    if (address === undefined) image.remove();
    else image.setAttribute('href', address);
  }
  return copy;
}

function dataUrlOf(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
