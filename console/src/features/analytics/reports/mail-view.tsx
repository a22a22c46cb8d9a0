import { useEffect, useRef } from 'react';

interface Props {
  /** The page of a mail, as the service writes it: without scripts, and with styles at its elements. */
  readonly html: string;
  readonly label: string;
}

/**
 * A mail as mail programs show it. The content policy allows no styles in the text of a page, so that each is set by hand; nothing
 * else of the mail can do anything under that policy.
 */
export function MailView({ html, label }: Props) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // A quote in a text is written as a reference, so that this stands only where an attribute begins.
    const { body, documentElement } = new DOMParser().parseFromString(
      html.replaceAll(' style="', ' data-style="'),
      'text/html',
    );
    const parts = [...body.children].map((part) => document.importNode(part, true));
    for (const part of parts)
      for (const element of [part, ...part.querySelectorAll('*')]) {
        if (element instanceof HTMLElement) element.style.cssText = element.dataset['style'] ?? '';
        if (element instanceof HTMLAnchorElement) element.target = '_blank';
        // The page has its headings already.
        if (element instanceof HTMLHeadingElement)
          element.setAttribute('aria-level', element.tagName === 'H1' ? '3' : '4');
      }
    place.current?.setAttribute('lang', documentElement.lang);
    place.current?.replaceChildren(...parts);
  }, [html]);
  // On a phone some mails are wider than the page: they are pushed sideways, with the keyboard, too.
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <div ref={place} role="document" aria-label={label} tabIndex={0} style={{ overflowX: 'auto' }} />
  );
}
