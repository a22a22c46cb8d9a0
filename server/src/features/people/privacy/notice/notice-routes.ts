import { Type } from 'typebox';
import { recordAnswer } from '../../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../../http/console/console-endpoint.ts';
import type { PrivacyFacts } from './facts.ts';
import { type NoticeLanguage, noticeHtml, noticeLanguages, noticeOf, noticeText } from './notice.ts';
import { recordOfProcessing } from './record.ts';

const notice = Type.Object({
  language: Type.Enum([...noticeLanguages]),
  title: Type.String(),
  sections: Type.Array(Type.Object({ title: Type.String(), sentences: Type.Array(Type.String()) })),
  text: Type.String({ description: 'All of it as plain text' }),
  html: Type.String({ description: 'All of it as HTML, for a page of the house' }),
});

const schema = Type.Object({
  notices: Type.Array(notice),
  record: Type.String({ description: 'A record of processing activities (Article 30 of the GDPR), as Markdown' }),
});

export interface NoticeRouteDeps {
  /** @throws Failure ObjectNotFound */
  readonly factsOf: (appId: string) => Promise<PrivacyFacts>;
}

/** What the service keeps about visitors, written from the settings. */
export function noticeConsoleEndpoints({ factsOf }: NoticeRouteDeps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/privacy',
      operationId: 'getPrivacy',
      summary: 'Say what the service keeps about visitors, for a privacy notice and a record of processing',
      permission: 'settings.read',
      answer: recordAnswer(schema),
      async handle({ params: { appId = '' }, now }) {
        return { result: describePrivacy(await factsOf(appId), now) };
      },
    }),
  ];
}

function describePrivacy(facts: PrivacyFacts, now: number) {
  const notices = noticeLanguages.map((language: NoticeLanguage) => {
    const said = noticeOf(facts, language);
    return { language, ...said, text: noticeText(said), html: noticeHtml(said) };
  });
  return { notices, record: recordOfProcessing(facts, now) };
}
