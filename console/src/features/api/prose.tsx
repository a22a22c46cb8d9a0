/** Text of the OpenAPI document; text in backticks is code. */
export function Prose({ text }: { readonly text: string }) {
  return text.split('`').map((part, place) =>
    place % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move
      <code key={place} className="mono">
        {part}
      </code>
    ),
  );
}
