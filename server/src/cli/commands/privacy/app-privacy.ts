import { privacyFacts } from '../../../features/people/privacy/notice/find-facts.ts';
import {
  type NoticeLanguage,
  noticeHtml,
  noticeLanguages,
  noticeOf,
  noticeText,
} from '../../../features/people/privacy/notice/notice.ts';
import { recordOfProcessing } from '../../../features/people/privacy/notice/record.ts';
import { type Command, UsageError } from '../../support/command.ts';
import { withServices } from '../storage.ts';

export const appPrivacyCommand: Command = {
  name: 'app privacy',
  summary: 'say what the service keeps about visitors, for a privacy notice',
  details: 'Written from the settings: what is kept, for which purpose and how long, and who else learns of it.',
  arguments: [{ name: 'ID', help: 'the app' }],
  options: {
    language: { value: 'LANGUAGE', help: `${noticeLanguages.join(' or ')}; en without it` },
    html: { help: 'as HTML' },
    record: { help: 'a record of processing activities (Article 30 of the GDPR) instead, as Markdown' },
  },
  async run(call) {
    const [appId = ''] = call.arguments;
    const language = (call.text('language') ?? 'en') as NoticeLanguage;
    if (!noticeLanguages.includes(language))
      throw new UsageError(`--language takes ${noticeLanguages.join(' or ')}, not "${language}".`);
    const config = call.config();
    const facts = await withServices(config, (services) => privacyFacts(services, config, appId));
    if (call.has('record')) {
      const record = recordOfProcessing(facts, Date.now());
      return { text: record.trimEnd(), json: { record } };
    }
    const notice = noticeOf(facts, language);
    return { text: call.has('html') ? noticeHtml(notice) : noticeText(notice), json: notice };
  },
};
