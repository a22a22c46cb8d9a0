import { isForgetful } from '@pharos/engine/decide';
import { periodsOf } from '../../../../access/policy.ts';
import type { PrivacyFacts, PushService, StorageHost } from './facts.ts';

/** What the service keeps about visitors, in plain sentences for the organisation's privacy notice. */

export const noticeLanguages = ['en', 'de'] as const;
export type NoticeLanguage = (typeof noticeLanguages)[number];

interface NoticeSection {
  readonly title: string;
  readonly sentences: readonly string[];
}

interface Words {
  readonly title: (facts: PrivacyFacts) => string;
  readonly sections: (facts: PrivacyFacts) => readonly NoticeSection[];
}

const list = (parts: readonly string[], and: string): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} ${and} ${parts.at(-1)}`;

const pushNames: Readonly<Record<PushService, { readonly en: string; readonly de: string }>> = {
  fcm: { en: 'Google (Firebase Cloud Messaging)', de: 'Google (Firebase Cloud Messaging)' },
  apns: { en: 'Apple (Apple Push Notification service)', de: 'Apple (Apple Push Notification service)' },
  webpush: {
    en: 'the push service of the visitor’s browser (of Google, Mozilla, Apple or Microsoft)',
    de: 'den Push-Dienst des Browsers (von Google, Mozilla, Apple oder Microsoft)',
  },
  mqtt: { en: 'the message broker of the house', de: 'den Nachrichtenbroker des Hauses' },
};

const hasFactors = ({ totp, passkeys }: PrivacyFacts['policy']) => totp !== 'off' || passkeys.enabled;

/** Logs and positions with zero retention are deleted within the hour, the others (`noDayMs`) an hour later. */
const daysEn = (count: number) => (count === 0 ? 'at most an hour' : count === 1 ? 'one day' : `${count} days`);
const untilEn = (count: number) => (count === 0 ? 'at most two hours' : daysEn(count));
const untilDe = (count: number) => (count === 0 ? 'höchstens zwei Stunden' : daysDe(count));
const daysDe = (count: number) => (count === 0 ? 'höchstens eine Stunde' : count === 1 ? 'einen Tag' : `${count} Tage`);

/** Whoever runs these hosts may be somebody else. */
const hostSentences: Readonly<
  Record<StorageHost['holds'], Readonly<Record<NoticeLanguage, (host: string) => string>>>
> = {
  database: {
    en: (host) => `The data is stored in a database on ${host}.`,
    de: (host) => `Die Daten sind in einer Datenbank auf ${host} gespeichert.`,
  },
  files: {
    en: (host) => `Files that the app stores are kept on ${host}.`,
    de: (host) => `Dateien, die die App speichert, liegen auf ${host}.`,
  },
  mails: {
    en: (host) => `Mails about an account are sent through ${host}, which learns the address and the text.`,
    de: (host) => `Mails zu einem Konto gehen über ${host}; dort werden Adresse und Text bekannt.`,
  },
};

const english: Words = {
  title: ({ appName }) => `What ${appName} keeps about visitors`,
  sections: (facts) => {
    const { policy, fixedDays, webhooks, pushServices, signInProviders, hosts, hidesFromUsers, backupDays } = facts;
    const { visits, events, logs, deliveries, positions } = periodsOf(policy);
    const isRequired = policy.consent === 'required';
    return [
      {
        title: 'Consent',
        sentences: [
          isRequired
            ? 'The app asks before anything is recorded, for each of the following purposes by itself: messages, analytics, and the link to an account.'
            : 'The following is done for everybody who has not refused it. Messages, analytics, and the link to an account can be refused each by itself.',
          'A refusal is possible at any time and takes effect at once. What was recorded before can be erased on request.',
          'What somebody has agreed to or refused is kept with the time and the version of the text, until the app’s installation is deleted.',
        ],
      },
      {
        title: 'Messages at places',
        sentences: [
          'To show a message at the right place and not too often, the service knows at which beacon the phone is now and what it has been shown.',
          `Where the phone was last is forgotten ${daysEn(fixedDays.track)} after it has fallen silent. What it was shown is kept for ${daysEn(fixedDays.shown)}, and whether a push reached it for ${untilEn(deliveries)}.`,
          'To reach the phone, the service keeps its push address, its kind and model, its language and time zone, and the version of the app, until the installation is deleted.',
        ],
      },
      {
        title: 'Analytics',
        sentences: [
          `When a phone came near a beacon and when it left is kept for ${untilEn(visits)}${visits === 0 ? ' after the visit' : ''}. The single steps of a visit, and why a message was shown or not, are kept for ${untilEn(events)}, log records for ${daysEn(logs)}.`,
          `How often a phone has been at a beacon is forgotten after ${daysEn(fixedDays.visitCounts)} without a visit. That a signal has been counted is kept for ${daysEn(fixedDays.sightingKeys)}, so that none counts twice.`,
          ...(policy.oneZone
            ? [
                `The place in the building where a phone was last is kept for ${daysEn(positions)}, one for each phone. How well it hears beacons, one figure from its visits, is kept for ${daysEn(fixedDays.hearing)} after the last one.`,
              ]
            : []),
          ...(policy.pseudonyms === 'daily'
            ? [
                'Whoever looks at this sees the phone under a pseudonym that changes every day; that it is the same phone on another day is not shown. The service itself still knows it, so that messages do not come too often and a phone can be erased.',
              ]
            : []),
          isForgetful(policy)
            ? 'The signals behind a visit are forgotten after three hours at the latest.'
            : `The signals behind a visit are forgotten ${daysEn(fixedDays.track)} after the phone has fallen silent, at the latest.`,
          `Of visitors who ${isRequired ? 'have not agreed' : 'have refused'}, the service counts only how many signals were heard at each beacon in each hour, without anything that tells the phones apart. The counts are kept for ${daysEn(Math.max(visits, 1))}.`,
        ],
      },
      {
        title: 'Accounts',
        sentences: [
          'An account has a name, an e-mail address and, where given, country and phone number. It is kept until it is deleted.',
          `A sign-in ends ${daysEn(policy.tokenDays)} after it was last used.`,
          ...(hasFactors(policy)
            ? [
                'For somebody who protects the account with an authenticator app or a passkey, the key of it is kept until it is removed, with the time of its last use and, so that others cannot lock the account, a hash of the network from which a code was last right.',
              ]
            : []),
          isRequired
            ? 'A phone is linked to an account only with consent to it.'
            : 'A phone is linked to the account that is signed in on it, unless the visitor refuses that.',
          ...(signInProviders.length > 0
            ? [`Visitors can sign in through ${list(signInProviders, 'and')}, which then learn of the sign-in.`]
            : []),
        ],
      },
      {
        title: 'Who else learns of it',
        sentences: [
          ...webhooks.map(
            ({ host, events }) =>
              `${host} is told of ${list(events, 'and')}, ${policy.pseudonyms === 'daily' ? 'with a pseudonym of the phone that changes every day' : 'with the id of the phone'}.`,
          ),
          ...(pushServices.length > 0
            ? [
                `Messages are sent through ${list(
                  pushServices.map((service) => pushNames[service].en),
                  'and',
                )}; there the push address and the message become known.`,
              ]
            : []),
          ...hosts.map(({ holds, host }) => hostSentences[holds].en(host)),
          ...(webhooks.length + pushServices.length + hosts.length === 0 ? ['Nobody else: no data is passed on.'] : []),
          'The service’s own log has the network address of each request.',
        ],
      },
      {
        title: 'Backups',
        sentences: [
          backupDays === 0
            ? 'Backups have all of this. They are kept until they are deleted by hand.'
            : `Backups have all of this. Those that the service makes are deleted after ${daysEn(backupDays)}.`,
          'If a backup is restored, whoever was erased in the meantime is erased again.',
        ],
      },
      {
        title: 'Rights',
        sentences: [
          'Visitors with an account can have everything that is known of them written into one file, and have it erased, in the app. Others ask the house, which can do both for a phone.',
          ...(hidesFromUsers
            ? [
                'That file is without what the app does not show to users in records. The house can write that out as well; ask for it.',
              ]
            : []),
          'What somebody has made for the house (places, messages, and everything that a manager has made) stays, without the name.',
          'An erasure takes everything else that the export shows, and leaves a receipt that names nobody: what was erased, who had been told, and which backups still have it until when.',
        ],
      },
    ];
  },
};

const german: Words = {
  title: ({ appName }) => `Was ${appName} über Besucherinnen und Besucher speichert`,
  sections: (facts) => {
    const { policy, fixedDays, webhooks, pushServices, signInProviders, hosts, hidesFromUsers, backupDays } = facts;
    const { visits, events, logs, deliveries, positions } = periodsOf(policy);
    const isRequired = policy.consent === 'required';
    return [
      {
        title: 'Einwilligung',
        sentences: [
          isRequired
            ? 'Die App fragt, bevor etwas gespeichert wird, und zwar für jeden der folgenden Zwecke einzeln: Nachrichten, Auswertung und die Verknüpfung mit einem Konto.'
            : 'Das Folgende geschieht bei allen, die es nicht abgelehnt haben. Nachrichten, Auswertung und die Verknüpfung mit einem Konto können einzeln abgelehnt werden.',
          'Eine Ablehnung ist jederzeit möglich und wirkt sofort. Was vorher gespeichert wurde, wird auf Wunsch gelöscht.',
          'Wozu jemand eingewilligt oder was jemand abgelehnt hat, wird mit Zeitpunkt und Fassung des Textes aufbewahrt, bis die Installation der App gelöscht wird.',
        ],
      },
      {
        title: 'Nachrichten vor Ort',
        sentences: [
          'Damit eine Nachricht am richtigen Ort und nicht zu oft erscheint, weiß der Dienst, an welchem Beacon das Telefon gerade ist und was ihm schon gezeigt wurde.',
          `Wo das Telefon zuletzt war, wird vergessen, wenn es ${daysDe(fixedDays.track)} lang still war. Was ihm gezeigt wurde, wird ${daysDe(fixedDays.shown)} lang aufbewahrt, und ob eine Push-Nachricht ankam, ${untilDe(deliveries)} lang.`,
          'Um das Telefon zu erreichen, speichert der Dienst dessen Push-Adresse, Art und Modell, Sprache und Zeitzone sowie die Version der App, bis die Installation gelöscht wird.',
        ],
      },
      {
        title: 'Auswertung',
        sentences: [
          `Wann ein Telefon in die Nähe eines Beacons kam und wann es ging, wird ${visits === 0 ? 'nach dem Besuch ' : ''}${untilDe(visits)} lang aufbewahrt. Die einzelnen Schritte eines Besuchs, und warum eine Nachricht erschien oder nicht, werden ${untilDe(events)} lang aufbewahrt, Protokolleinträge ${daysDe(logs)} lang.`,
          `Wie oft ein Telefon an einem Beacon war, wird vergessen, wenn es ${daysDe(fixedDays.visitCounts)} lang nicht dort war. Dass ein Signal gezählt wurde, wird ${daysDe(fixedDays.sightingKeys)} lang aufbewahrt, damit keines doppelt zählt.`,
          ...(policy.oneZone
            ? [
                `Der Ort im Haus, an dem ein Telefon zuletzt war, wird ${daysDe(positions)} lang aufbewahrt, je Telefon nur einer. Wie gut es Beacons hört, eine einzige Zahl aus seinen Aufenthalten, wird nach dem letzten ${daysDe(fixedDays.hearing)} lang aufbewahrt.`,
              ]
            : []),
          ...(policy.pseudonyms === 'daily'
            ? [
                'Wer das ansieht, sieht das Telefon unter einem Pseudonym, das täglich wechselt; dass es an einem anderen Tag dasselbe Telefon ist, wird nicht gezeigt. Der Dienst selbst weiß es weiterhin, damit Nachrichten nicht zu oft erscheinen und die Daten eines Telefons gelöscht werden können.',
              ]
            : []),
          isForgetful(policy)
            ? 'Die Signale hinter einem Besuch werden nach spätestens drei Stunden vergessen.'
            : `Die Signale hinter einem Besuch werden spätestens vergessen, wenn das Telefon ${daysDe(fixedDays.track)} lang still war.`,
          `Bei allen, die ${isRequired ? 'nicht eingewilligt' : 'das abgelehnt'} haben, zählt der Dienst nur, wie viele Signale an jedem Beacon in jeder Stunde zu hören waren, ohne etwas, das die Telefone unterscheidet. Diese Zahlen werden ${daysDe(Math.max(visits, 1))} lang aufbewahrt.`,
        ],
      },
      {
        title: 'Konten',
        sentences: [
          'Ein Konto enthält Name, E-Mail-Adresse und, falls angegeben, Land und Telefonnummer. Es bleibt bestehen, bis es gelöscht wird.',
          `Eine Anmeldung endet, wenn sie ${daysDe(policy.tokenDays)} lang nicht benutzt wurde.`,
          ...(hasFactors(policy)
            ? [
                'Von allen, die ihr Konto mit einer Authentifizierungs-App oder einem Passkey schützen, wird der Schlüssel dazu aufbewahrt, bis er entfernt wird, mit der Zeit der letzten Benutzung und, damit andere das Konto nicht sperren können, einem Hash des Netzes, aus dem zuletzt ein richtiger Code kam.',
              ]
            : []),
          isRequired
            ? 'Ein Telefon wird nur mit Einwilligung mit einem Konto verknüpft.'
            : 'Ein Telefon wird mit dem Konto verknüpft, das darauf angemeldet ist, sofern das nicht abgelehnt wird.',
          ...(signInProviders.length > 0
            ? [`Die Anmeldung ist auch über ${list(signInProviders, 'und')} möglich; der Anbieter erfährt dann davon.`]
            : []),
        ],
      },
      {
        title: 'Wer sonst davon erfährt',
        sentences: [
          ...webhooks.map(
            ({ host, events }) =>
              `${host} erhält die Ereignisse ${list(events, 'und')} ${policy.pseudonyms === 'daily' ? 'mit einem täglich wechselnden Pseudonym des Telefons' : 'mit der Kennung des Telefons'}.`,
          ),
          ...(pushServices.length > 0
            ? [
                `Nachrichten werden über ${list(
                  pushServices.map((service) => pushNames[service].de),
                  'und',
                )} verschickt; dort werden Push-Adresse und Nachricht bekannt.`,
              ]
            : []),
          ...hosts.map(({ holds, host }) => hostSentences[holds].de(host)),
          ...(webhooks.length + pushServices.length + hosts.length === 0
            ? ['Niemand: Es werden keine Daten weitergegeben.']
            : []),
          'Das Protokoll des Dienstes enthält die Netzwerkadresse jeder Anfrage.',
        ],
      },
      {
        title: 'Sicherungen',
        sentences: [
          backupDays === 0
            ? 'Sicherungen enthalten all das. Sie bleiben, bis sie von Hand gelöscht werden.'
            : `Sicherungen enthalten all das. Die vom Dienst erstellten werden nach ${backupDays === 1 ? 'einem Tag' : `${backupDays} Tagen`} gelöscht.`,
          'Wird eine Sicherung wiederhergestellt, so wird noch einmal gelöscht, wer inzwischen gelöscht worden war.',
        ],
      },
      {
        title: 'Rechte',
        sentences: [
          'Wer ein Konto hat, kann in der App alles, was über die eigene Person bekannt ist, in eine Datei schreiben und löschen lassen. Alle anderen wenden sich an das Haus, das beides für ein Telefon tun kann.',
          ...(hidesFromUsers
            ? [
                'In dieser Datei fehlt, was die App in Datensätzen vor ihren Benutzern verbirgt. Das Haus kann auch das ausgeben; fragen Sie danach.',
              ]
            : []),
          'Was jemand für das Haus angelegt hat (Orte, Nachrichten und alles, was von Managern stammt), bleibt ohne den Namen.',
          'Eine Löschung umfasst alles Übrige, was die Auskunft zeigt, und hinterlässt eine Quittung, die niemanden nennt: was gelöscht wurde, wer davon erfahren hatte und welche Sicherungen es noch bis wann enthalten.',
        ],
      },
    ];
  },
};

const languages: Readonly<Record<NoticeLanguage, Words>> = { en: english, de: german };

export interface Notice {
  readonly title: string;
  readonly sections: readonly NoticeSection[];
}

export function noticeOf(facts: PrivacyFacts, language: NoticeLanguage): Notice {
  const { title, sections } = languages[language];
  return { title: title(facts), sections: sections(facts) };
}

/** For an e-mail or a text processor. */
export function noticeText({ title, sections }: Notice): string {
  return [title, ...sections.map((section) => `${section.title}\n${section.sentences.join(' ')}`)].join('\n\n');
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** For a page of the organisation's site. */
export function noticeHtml({ title, sections }: Notice): string {
  const parts = sections.map(
    (section) => `<h3>${escaped(section.title)}</h3>\n<p>${section.sentences.map(escaped).join(' ')}</p>`,
  );
  return [`<h2>${escaped(title)}</h2>`, ...parts].join('\n');
}
