import classes from './code.module.css';

interface Props {
  readonly children: string;
  /** Scrolls instead of growing with a long text. */
  readonly isLimited?: boolean;
  readonly 'data-testid'?: string;
}

/** Code or plain text as it was sent, with its line breaks. */
export function CodeBlock({ children, isLimited = false, ...rest }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, and has to be reachable by keyboard
    <pre tabIndex={0} className={isLimited ? `${classes.code} ${classes.limited}` : classes.code} {...rest}>
      {children}
    </pre>
  );
}

/** A JSON value, indented. */
export function JsonBlock({ value, isLimited = false }: { readonly value: unknown; readonly isLimited?: boolean }) {
  return <CodeBlock isLimited={isLimited}>{JSON.stringify(value, null, 2)}</CodeBlock>;
}

/** The metadata of a record; nothing where there is none. */
export function MetadataBlock({ metadata }: { readonly metadata: object }) {
  return Object.keys(metadata).length > 0 && <JsonBlock value={metadata} />;
}
