import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from '../escape-html.ts';
import { apart, type HandbookLayout } from './layout.ts';
import type { Picture } from './pictures.ts';

/** One page of the handbook, as HTML. */
export interface HandbookPage {
  /** Below `/handbook/`; empty for the first page. */
  readonly slug: string;
  readonly title: string;
  /** Of BCP 47. */
  readonly language: string;
  readonly html: string;
  readonly sections: readonly Section[];
  /** Where its links lead: a slug with an anchor. */
  readonly links: readonly string[];
}

/** A heading with the text below it, for the search. */
export interface Section {
  readonly anchor: string;
  /** The anchor of the same section in English, if it is another one: links to either lead here. */
  readonly english?: string | undefined;
  readonly heading: string;
  readonly text: string;
  /** Heading and text in lower case. */
  readonly searched: readonly [heading: string, text: string];
}

/** `Files in S3` becomes `files-in-s3`, as on GitHub. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

/** The URL of a link as written; undefined: it leads out of the handbook, and only its text remains. */
export type ResolveLink = (href: string) => string | undefined;

/** A picture as written, with the one for dark colours; undefined: it is none of the handbook's, and only its text remains. */
export type FindPicture = (href: string) => { readonly light: Picture; readonly dark: Picture | undefined } | undefined;

export interface PageSource {
  readonly slug: string;
  readonly markdown: string;
  readonly resolve: ResolveLink;
  readonly find?: FindPicture;
  readonly layout?: HandbookLayout;
  /** Of BCP 47. */
  readonly language?: string;
  /** The page that this one is a translation of, section by section. */
  readonly original?: HandbookPage | undefined;
}

/**
 * Writes Markdown as HTML. Markup in the text is shown as it was written, pictures are the handbook's own, and links lead to its pages or
 * to other sites over https, so that nothing in a page can do anything.
 */
export function renderPage({
  slug,
  markdown,
  resolve,
  find = () => undefined,
  layout = apart(),
  language = 'en',
  original,
}: PageSource): HandbookPage {
  const links: string[] = [];
  const sections: { anchor: string; english: string | undefined; heading: string; text: string }[] = [];
  const used = new Map<string, number>();
  const marked = new Marked({
    gfm: true,
    renderer: {
      html: ({ text }) => escapeHtml(text),
      image: ({ href, text }) => pictureHtml(find(href), text, layout),
      heading({ tokens, depth }) {
        const { anchor = '', english } = sections[used.get('#') ?? 0] ?? {};
        used.set('#', (used.get('#') ?? 0) + 1);
        const id = (name: string) => `id="${escapeHtml(layout.id(slug, name))}"`;
        const also = english === undefined ? '' : `<span ${id(english)}></span>`;
        return `<h${depth} ${id(anchor)}>${also}${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        if (/^https:\/\//.test(href)) return `<a href="${escapeHtml(href)}" rel="noreferrer">${text}</a>`;
        const to = resolve(href);
        if (to === undefined) return text;
        links.push(to);
        return `<a href="${escapeHtml(layout.href(to))}">${text}</a>`;
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
      const anchor = times === 0 ? name : `${name}-${times}`;
      const english = original?.sections[sections.length]?.anchor;
      sections.push({ anchor, english: english === anchor ? undefined : english, heading, text: '' });
    } else {
      const last = sections.at(-1);
      if (last) last.text += `${token.raw.replaceAll(/!?\[|\]\([^\s)]+\)|[*`\]]/g, '').replaceAll(/[#|]/g, ' ')} `;
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
    language,
    html,
    sections: sections.map((section) => ({ ...section, searched: searched(section.heading, section.text) })),
    links,
  };
}

function pictureHtml(found: ReturnType<FindPicture>, text: string, layout: HandbookLayout): string {
  if (!found) return escapeHtml(text);
  const { light, dark } = found;
  const source = dark && `<source media="(prefers-color-scheme: dark)" srcset="${escapeHtml(layout.src(dark))}">`;
  const size = `width="${light.width}" height="${light.height}"`;
  const image = `<img src="${escapeHtml(layout.src(light))}" alt="${escapeHtml(text)}" ${size} loading="lazy">`;
  return `<picture>${source ?? ''}${image}</picture>`;
}

const plain = ({ tokens, text }: { readonly tokens?: readonly Token[]; readonly text: string }): string =>
  tokens ? tokens.map((token) => ('text' in token ? String(token.text) : '')).join('') : text;

function tableHtml({ header, rows }: Tokens.Table, inline: (tokens: Token[]) => string): string {
  const line = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
    `<tr>${cells.map(({ tokens }) => `<${tag}>${inline(tokens)}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${line(header, 'th')}</thead><tbody>${rows.map((row) => line(row, 'td')).join('')}</tbody></table>`;
}
