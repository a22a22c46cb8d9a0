import encodeQR from 'qr';
import { useMemo } from 'react';
import classes from './code.module.css';

/** A QR code, dark on light in every colour scheme, because many scanners need that. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const rows = useMemo(() => encodeQR(text, 'raw', { border: 3 }), [text]);
  const squares = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg
      className={classes.qr}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={squares.join('')} />
    </svg>
  );
}
