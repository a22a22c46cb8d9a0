/** The handbook in one language: the pages for editors are translated, the others stay English. */
export interface Edition {
  /** Of BCP 47. */
  readonly language: string;
  /** The language in itself. */
  readonly name: string;
  /** Where its pages are. */
  readonly base: string;
  /** The folder of its translated pages in `docs/`. */
  readonly folder?: string;
  readonly words: Readonly<Record<Word, string>>;
  readonly placesFound: (count: number) => string;
}

type Word =
  | 'all'
  | 'console'
  | 'decisions'
  | 'editors'
  | 'handbook'
  | 'missing'
  | 'missingHint'
  | 'nothingFound'
  | 'offline'
  | 'operators'
  | 'pages'
  | 'programmers'
  | 'search'
  | 'searchAll'
  | 'skip';

export const english: Edition = {
  language: 'en',
  name: 'English',
  base: '/handbook',
  words: {
    all: 'All pages. Search with your browser: Ctrl-F, on a Mac ⌘F.',
    console: 'Console',
    decisions: 'Decisions',
    editors: 'For editors',
    handbook: 'Pharos handbook',
    missing: 'No such page',
    missingHint: 'Search for it, or choose one from the list.',
    nothingFound: 'Nothing was found. Try other words.',
    offline: 'Save to read offline',
    operators: 'For operators',
    pages: 'Pages',
    programmers: 'For programmers',
    search: 'Search',
    searchAll: 'Search the handbook',
    skip: 'Skip to the page',
  },
  placesFound: (count) => (count === 1 ? 'One place has it.' : `${count} places have it.`),
};

export const german: Edition = {
  language: 'de',
  name: 'Deutsch',
  base: '/handbook/de',
  folder: 'handbook/de',
  words: {
    all: 'Alle Seiten. Suchen Sie mit dem Browser: Strg+F, auf dem Mac ⌘F.',
    console: 'Konsole',
    decisions: 'Entscheidungen (englisch)',
    editors: 'Für Redakteure',
    handbook: 'Pharos-Handbuch',
    missing: 'Diese Seite gibt es nicht',
    missingHint: 'Suchen Sie danach, oder wählen Sie eine Seite aus der Liste.',
    nothingFound: 'Nichts gefunden. Versuchen Sie andere Wörter.',
    offline: 'Zum Offline-Lesen speichern',
    operators: 'Für Betreiber (englisch)',
    pages: 'Seiten',
    programmers: 'Für Programmierer (englisch)',
    search: 'Suchen',
    searchAll: 'Handbuch durchsuchen',
    skip: 'Zur Seite springen',
  },
  placesFound: (count) => (count === 1 ? '1 Fundstelle.' : `${count} Fundstellen.`),
};

export const editions: readonly Edition[] = [english, german];
