import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from './escape.ts';

/** One page of the handbook, as HTML. */
export interface Page {
  /** Below `/handbook/`; empty for the first page. */
  readonly slug: string;
  readonly title: string;
  readonly html: string;
  readonly sections: readonly Section[];
  /** Where its links lead: a slug with an anchor. */
  readonly links: readonly string[];
}

/** A heading with what stands below it, for the search. */
export interface Section {
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
  /** Heading and text in lower case. */
  readonly searched: readonly [heading: string, text: string];
}

/** `Told before asked` becomes `told-before-asked`, as on GitHub. */
export const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

/** The address of a link as it was written; undefined: it leads out of the handbook, and its text stays alone. */
export type ResolveLink = (href: string) => string | undefined;

/**
 * Writes Markdown as HTML. Markup in the text is shown as it was written, and links lead to pages of the handbook or to
 * other sites over https, so that nothing in a page can do anything.
 */
export function renderPage(slug: string, markdown: string, resolve: ResolveLink): Page {
  const links: string[] = [];
  const sections: { anchor: string; heading: string; text: string }[] = [];
  const used = new Map<string, number>();
  const marked = new Marked({
    gfm: true,
    renderer: {
      html: ({ text }) => escapeHtml(text),
      image: ({ text }) => escapeHtml(text),
      heading({ tokens, depth }) {
        const { anchor } = sections[used.get('#') ?? 0] ?? { anchor: '' };
        used.set('#', (used.get('#') ?? 0) + 1);
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        if (/^https:\/\//.test(href)) return `<a href="${escapeHtml(href)}" rel="noreferrer">${text}</a>`;
        const to = resolve(href);
        if (to === undefined) return text;
        links.push(to);
        return `<a href="/handbook/${escapeHtml(to)}">${text}</a>`;
      },
      // A wide table is scrolled by itself, also by keyboard.
      table(token) {
        const table = tableHtml(token, (tokens) => this.parser.parseInline(tokens));
        return `<div class="wide" tabindex="0" role="region" aria-label="Table">${table}</div>\n`;
      },
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    },
  });
  const tokens = marked.lexer(markdown);
  for (const token of tokens) {
    if (token.type === 'heading') {
      const heading = plain(token as Tokens.Heading);
      const name = anchorOf(heading);
      const times = used.get(name) ?? 0;
      used.set(name, times + 1);
      sections.push({ anchor: times === 0 ? name : `${name}-${times}`, heading, text: '' });
    } else {
      const last = sections.at(-1);
      if (last) last.text += `${token.raw.replaceAll(/[#*`|[\]]|\(\S+\)/g, ' ')} `;
    }
  }
  used.delete('#');
  const html = marked.parser(tokens);
  const title = sections[0]?.heading ?? slug;
  const searched = (heading: string, text: string) =>
    [`${title} ${heading}`.toLowerCase(), text.toLowerCase()] as const;
  return {
    slug,
    title,
    html,
    sections: sections.map((section) => ({ ...section, searched: searched(section.heading, section.text) })),
    links,
  };
}

const plain = ({ tokens, text }: { readonly tokens?: readonly Token[]; readonly text: string }): string =>
  tokens ? tokens.map((token) => ('text' in token ? String(token.text) : '')).join('') : text;

function tableHtml({ header, rows }: Tokens.Table, inline: (tokens: Token[]) => string): string {
  const line = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
    `<tr>${cells.map(({ tokens }) => `<${tag}>${inline(tokens)}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${line(header, 'th')}</thead><tbody>${rows.map((row) => line(row, 'td')).join('')}</tbody></table>`;
}
