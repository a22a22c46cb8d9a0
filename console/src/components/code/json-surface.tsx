import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isReadOnly: boolean;
}

const look = EditorView.theme({
  '&': { fontSize: '0.86rem', backgroundColor: 'var(--mantine-color-body)', color: 'var(--mantine-color-text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    lineHeight: '1.55',
    minHeight: '9rem',
    maxHeight: '32rem',
  },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface-side)', color: 'var(--soft)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--mantine-primary-color-light)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--mantine-color-body)',
    border: '1px solid var(--line)',
    borderRadius: '4px',
  },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--mantine-color-blue-light-color)' },
  { tag: tags.string, color: 'var(--mantine-color-teal-light-color)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--mantine-color-yellow-light-color)' },
]);

/**
 * The editor itself. In a shadow root it uses adopted style sheets; elsewhere it would insert a style element, which the
 * content policy forbids.
 */
export default function JsonSurface({ label, value, onChange, isReadOnly }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(onChange);
  latest.current = onChange;
  const first = useRef(value);
  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open', delegatesFocus: true });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({ doc: first.current, extensions: extensionsOf({ label, isReadOnly, latest }) }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label, isReadOnly]);
  useEffect(() => {
    first.current = value;
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  return <div ref={host} />;
}

interface Given {
  readonly label: string;
  readonly isReadOnly: boolean;
  readonly latest: { readonly current: (value: string) => void };
}

function extensionsOf({ label, isReadOnly, latest }: Given) {
  return [
    lineNumbers(),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of('  '),
    bracketMatching(),
    json(),
    syntaxHighlighting(colours),
    // Empty text is not an error.
    linter((editor) => (editor.state.doc.length === 0 ? [] : jsonParseLinter()(editor)), { delay: 300 }),
    look,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
    EditorState.readOnly.of(isReadOnly),
    // The tab key moves the focus, as everywhere else.
    keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) latest.current(update.state.doc.toString());
    }),
  ];
}
