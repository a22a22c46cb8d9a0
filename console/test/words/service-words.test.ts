import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { PharosError } from '@pharos/sdk';
import { describe, test } from 'vitest';
import { languages } from '../../src/lib/words/language.ts';
import { translatedError } from '../../src/lib/words/translated-error.ts';
import { setServiceCatalogue, speak, translated } from '../../src/lib/words/words.ts';
import { serviceComposed } from './service-composed.ts';
import { serviceExceptions } from './service-exceptions.ts';
import { readServiceTexts, type Said, serviceTextsOf } from './service-texts.ts';

const catalogue = (tag: string) =>
  JSON.parse(
    readFileSync(new URL(`../../src/lib/words/catalogues/service-${tag}.json`, import.meta.url), 'utf8'),
  ) as Readonly<Record<string, string>>;
const tags = languages.map(({ tag }) => tag).filter((tag) => tag !== 'en');
const said = readServiceTexts();

const rules = serviceExceptions.flatMap(({ files = [], texts = [] }) => [
  ...files.map((file) => ({ name: String(file), fits: (one: Said) => file.test(one.file) })),
  ...texts.map((text) => ({
    name: String(text),
    fits: (one: Said) => (typeof text === 'string' ? text === one.text : text.test(one.text)),
  })),
]);
const isException = (one: Said) => rules.some(({ fits }) => fits(one));
const shown = said.filter((one) => !isException(one));
const texts = new Set([...shown.map(({ text }) => text), ...serviceComposed]);

/** Where developers, operators and installers work: there such words are the right ones. */
const workshops: readonly (readonly [where: RegExp, reason: string])[] = [
  [/^server\/src\/access\/(keys|pseudonyms|rules)\//, 'developers set up keys and rules'],
  [/^server\/src\/(http|base)\/|^packages\/query\//, 'they try the interface'],
  [/^server\/src\/features\/(data\/buckets|operate\/webhooks)\//, 'records and webhooks are for programs'],
  [/^server\/src\/(sign-in\/oidc|features\/messages\/senders)\/|-settings\.ts$/, 'they copy credentials'],
  [/^server\/src\/(backup|blobs|features\/operate\/system)\//, 'operators look after the service'],
  [/^server\/src\/features\/places\/beacons\/calibration/, 'installers measure'],
];
const ofInterface =
  /objectId|\b(?:storylines?|scenarios?|installations)\b|\bJSON\b|\bAPNs\b|\bapns\b|\bFCM\b|PHAROS_|\bdBm?\b|\b[a-z]+(?:Id|By|At|From|Until|Name|Type|Enabled)s?\b/;

/** The holes of a translation, without what is done with them. */
function holesOf(message: string): readonly string[] {
  const holes = new Set<string>();
  const walk = (elements: readonly MessageFormatElement[]) => {
    for (const element of elements) {
      if (element.type === TYPE.literal || element.type === TYPE.pound || element.type === TYPE.tag) continue;
      holes.add(element.value);
      if ('options' in element) for (const option of Object.values(element.options)) walk(option.value);
    }
  };
  walk(parse(message, { ignoreTag: true }));
  return [...holes].sort();
}

const holesOfText = (text: string) => [...new Set([...text.matchAll(/\{(\d)\}/g)].map(([, hole]) => hole))].sort();
/** The verb once more. */
const isRepeated = (text: string, hole: string | undefined) => text.endsWith(`; managers {${hole}} all.`);
const digits = (holes: readonly string[]) => holes.map((hole) => hole.replace(/^\D/, '')).sort();

const inGerman = (check: () => void) => {
  speak('de', {});
  setServiceCatalogue(catalogue('de'));
  try {
    check();
  } finally {
    speak('en', {});
    setServiceCatalogue({});
  }
};

describe('the sentences of the service', () => {
  for (const tag of tags)
    test(`${tag} has each that a screen may show, and no other, with the same holes`, () => {
      const words = catalogue(tag);
      assert.deepEqual(
        shown.filter(({ text }) => !words[text]?.trim()).map(({ place, text }) => `${place}: ${text}`),
        [],
        `Add it to service-${tag}.json, or say in service-exceptions.ts why no screen shows it.`,
      );
      assert.deepEqual(
        serviceComposed.filter((text) => !words[text]?.trim()),
        [],
        'missing',
      );
      assert.deepEqual(
        Object.keys(words).filter((text) => !texts.has(text)),
        [],
        'left over',
      );
      const different = Object.entries(words).filter(([text, word]) => {
        const holes = holesOfText(text);
        return (
          holes.length > 0 && digits(holesOf(word)).join() !== holes.filter((hole) => !isRepeated(text, hole)).join()
        );
      });
      assert.deepEqual(different, []);
    });

  test('en says to editors what is theirs, and nothing that the service does not say', () => {
    const words = Object.entries(catalogue('en'));
    assert.deepEqual(
      words.filter(([text]) => !texts.has(text)).map(([text]) => text),
      [],
      'left over',
    );
    for (const [text, word] of words) assert.deepEqual(digits(holesOf(word)), holesOfText(text), text);
  });

  test('an editor reads no word of the interface', () => {
    const ofWorkshop = (text: string) =>
      shown.some((one) => one.text === text && workshops.some(([where]) => where.test(one.file)));
    for (const tag of ['en', ...tags]) {
      const words = catalogue(tag);
      const read = [...texts].filter((text) => !ofWorkshop(text)).map((text) => words[text] ?? text);
      assert.deepEqual(
        read.filter((text) => ofInterface.test(text.replaceAll(/\{[^}]*\}/g, ''))),
        [],
        tag,
      );
    }
    assert.deepEqual(
      workshops.filter(([where]) => !shown.some(({ file, text }) => where.test(file) && ofInterface.test(text))),
      [],
      'not needed',
    );
  });

  test('what is put into a sentence is of the same kind in every language', () => {
    const [one = 'de', ...others] = tags;
    const kinds = (tag: string) =>
      Object.entries(catalogue(tag)).flatMap(([text, word]) =>
        holesOfText(text).length > 0 ? [`${text}: ${holesOf(word).join()}`] : [],
      );
    for (const other of others) assert.deepEqual(kinds(other), kinds(one), `${other} and ${one}`);
  });

  test('every exception is needed', () => {
    assert.deepEqual(
      rules.filter(({ fits }) => !said.some(fits)).map(({ name }) => name),
      [],
    );
  });

  test('a new one is noticed, wherever it is made', () => {
    const found = serviceTextsOf(
      'a.ts',
      `
        const noun = isMany ? 'files' : 'file';
        export const problem = (n: number) => ({ field: 'a', problem: \`must have \${n} \${noun}\` });
        throw fail('ValidationError', \`There is no thing \${id}\${why ? \`: \${why}\` : ''}.\`);
        const title = \`\${count(n, 'phone')} fell silent\`;
        log.info('not shown to anybody');
      `,
    );
    assert.deepEqual(
      found.map(({ text }) => text),
      [
        'must have {0} files',
        'must have {0} file',
        'There is no thing {0}: {1}.',
        'There is no thing {0}.',
        '{0} phone fell silent',
        '{0} phones fell silent',
      ],
    );
  });

  test('each is found again, and not taken for another', () => {
    inGerman(() => {
      const words = catalogue('de');
      const alone = Object.keys(words).filter(
        (text) => !text.startsWith('… ') && !/\{v|\{n|plural/.test(words[text] ?? ''),
      );
      const lost = alone.filter((text) => {
        const counts = [...(words[text] ?? '').matchAll(/\{\w?(\d), number/g)].map(([, hole]) => hole);
        const sentence = text.replaceAll(/\{(\d)\}/g, (_, hole: string) =>
          counts.includes(hole) ? `${hole}7` : `X${hole}`,
        );
        const wanted = (words[text] ?? '').replaceAll(/\{[a-z]?(\d)(, number)?\}/g, (_, hole: string) =>
          counts.includes(hole) ? `${hole}7`.replace(/^0/, '') : `X${hole}`,
        );
        return (
          translated(sentence) !==
          (holesOfText(text).length > 0 ? wanted.replaceAll("'{'", '{').replaceAll("'}'", '}') : words[text])
        );
      });
      assert.deepEqual(lost, []);
    });
  });
});

describe('a sentence of the service in the language of the page', () => {
  test('has its names, numbers and parts', () => {
    inGerman(() => {
      const pairs = {
        'There is no app Louvre.': 'Es gibt keine App Louvre.',
        '1,204 messages failed in the last 24 hours': '1.204 Nachrichten sind in den letzten 24 Stunden fehlgeschlagen',
        'Not shown: it was shown 5 minutes before, and the pause is 1 hour.':
          'Nicht gezeigt: sie wurde 5 Minuten vorher gezeigt, und die Pause dauert 1 Stunde.',
        'Not shown: it runs on Mon–Fri, Sun, and it was Saturday in Europe/Vienna.':
          'Nicht gezeigt: sie läuft am Mo–Fr, So, und es war Samstag in Europe/Vienna.',
        'it waits until the visitor leaves the beacon, and this visitor comes to the beacon.':
          'sie wartet auf „Besucher verlässt den Beacon“, und dieser Besucher kommt zum Beacon.',
        'it was shown in this visit already.': 'sie wurde bei diesem Aufenthalt schon gezeigt.',
        'Signed-in people change the files that are theirs; managers change all.':
          'Angemeldete dürfen eigene Dateien ändern; Manager dürfen es bei allen.',
        'People see the records for which metadata.state is "public and open" and createdBy is the person; managers see all.':
          'Personen dürfen Datensätze sehen, für die gilt: metadata.state ist "public and open" und createdBy ist die Person; Manager dürfen es bei allen.',
        'Anyone with the app can upload files and read and change 4 buckets, and anyone who signs up can change your content.':
          'Alle mit der App können Dateien hochladen und 4 Buckets lesen und ändern, und alle, die sich registrieren, können Ihre Inhalte ändern.',
        '1 could not be called for a day; 2 cannot keep up, and the oldest calls are dropped.':
          '1 war einen Tag lang nicht aufzurufen; 2 kommen nicht hinterher, und die ältesten Aufrufe werden verworfen.',
        'APNs, Apple’s push service, is not set up for this app (1,300). The device token is dead (20).':
          'Der Push-Dienst von Apple ist für diese App nicht eingerichtet (1.300). Die Push-Adresse gilt nicht mehr (20).',
        'No apns credentials are set up for this app.': 'Für diese App sind keine Zugangsdaten für apns eingerichtet.',
        'Of 1,200 who got A 12.5 % reached the goal, of 300 who did not get it 9 %; the difference may be chance.':
          'Von 1.200, die A bekamen, erreichten 12,5 % das Ziel, von 300, die nichts bekamen, 9 %; der Unterschied kann Zufall sein.',
        'About 4 % are left. It will be empty on 2026-12-13, in nine of ten cases between 2026-12-08 and 2027-01-02.':
          'Etwa 4 % sind übrig. Leer ist sie am 13.12.2026, in neun von zehn Fällen zwischen 08.12.2026 und 02.01.2027.',
        'Nobody got it. It could not be sent in time.':
          'Niemand hat ihn bekommen. Sie konnte nicht rechtzeitig gesendet werden.',
      };
      for (const [sentence, wanted] of Object.entries(pairs)) assert.equal(translated(sentence), wanted);
    });
  });

  test('stays as it is when it is not known, in part or as a whole', () => {
    inGerman(() => {
      for (const sentence of [
        'Quota exceeded for this project.',
        'The webhook is switched off. Ask Bob.',
        'Token is invalid',
        '',
      ])
        assert.equal(translated(sentence), sentence);
      assert.equal(
        translated('The broker refused the message: Not authorized.'),
        'Der Broker hat die Nachricht abgewiesen: Not authorized.',
      );
      assert.equal(translated(translated('The venue has been deleted.')), 'Der Standort wurde gelöscht.');
    });
  });

  test('is an error with the problems of fields', () => {
    inGerman(() => {
      const details = [
        { field: 'name', problem: 'is required' },
        { field: 'major', problem: 'must be at most 65535' },
      ];
      const of = (message: string, problems: typeof details) =>
        translatedError(
          new PharosError(message, { name: 'ValidationError', code: 142, status: 400, details: problems }),
        );
      const error = of('name is required; major must be at most 65535.', details);
      assert.equal(error.message, 'name wird gebraucht; major darf höchstens 65535 sein.');
      assert.deepEqual(
        error.details.map(({ problem }) => problem),
        ['wird gebraucht', 'darf höchstens 65535 sein'],
      );
      const many = Array.from({ length: 7 }, () => ({ field: 'a', problem: 'is required' }));
      const list = Array.from({ length: 5 }, () => 'a is required').join('; ');
      assert.match(
        of(`${list} (and 2 more).`, many).message,
        /^(a wird gebraucht; ){4}a wird gebraucht \(und 2 weitere\)\.$/,
      );
    });
  });

  test('has days as the reader writes them, in English too', () => {
    setServiceCatalogue(catalogue('en'));
    assert.equal(
      translated('The certificate of the port for devices expires on 2027-01-02'),
      'The certificate of the port for devices expires on 2 Jan 2027',
    );
    setServiceCatalogue({});
  });

  test('has the words of the screens, in English too', () => {
    setServiceCatalogue(catalogue('en'));
    for (const [sentence, wanted] of Object.entries({
      'Not shown: its storyline is switched off.': 'Not shown: its series is switched off.',
      'Only managers list storylines.': 'Only managers list series of messages.',
      'Signed-in people see the installations that are theirs; managers see all.':
        'Signed-in people see the phones that are theirs; managers see all.',
    }))
      assert.equal(translated(sentence), wanted);
    setServiceCatalogue({});
  });

  test('is the English one where no catalogue is loaded', () => {
    assert.equal(translated('The venue has been deleted.'), 'The venue has been deleted.');
  });
});
