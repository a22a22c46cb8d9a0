import { Button, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Block, Icon, Loading } from '../../components/page/blocks.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { copyText } from '../../lib/actions/clipboard.ts';
import { download } from '../../lib/actions/download.ts';
import { useAppId, useMay } from '../../lib/data/access.ts';
import { pageLanguage, rich, t } from '../../lib/words/words.ts';
import { Erasures } from './erasures.tsx';
import classes from './privacy.module.css';
import { privacyQuery } from './queries.ts';

const languageNames = { en: 'English', de: 'Deutsch' } as const;
type Language = keyof typeof languageNames;

/** What the service keeps about visitors, in sentences for the house's privacy notice. */
export function PrivacyPage() {
  const appId = useAppId();
  const { data, error } = useQuery(privacyQuery(appId));
  const [language, setLanguage] = useState<Language>(() => {
    const own = pageLanguage();
    return own in languageNames ? (own as Language) : 'en';
  });
  const may = useMay();
  const notice = data?.notices.find((one) => one.language === language);
  return (
    <>
      <PageHeader title={t('Privacy')}>
        {rich(
          'What this service keeps about visitors, written from the settings. When they change, so does this text; periods and consent are set under <link>Limits</link>.',
          {
            link: (inner) => (
              <Link to="/apps/$appId/policy" params={{ appId }} className={classes.link}>
                {inner}
              </Link>
            ),
          },
        )}
      </PageHeader>
      <Block
        title={t('Notice')}
        about={t('For the privacy notice of the house. Have it checked before it is published.')}
      >
        <Loading data={notice} error={error} height={320} />
        {notice && (
          <Stack gap="lg">
            <Group justify="space-between" gap="sm">
              <SegmentedControl
                aria-label={t('Language of the notice')}
                data={Object.entries(languageNames).map(([value, label]) => ({ value, label }))}
                value={language}
                onChange={(value) => setLanguage(value as Language)}
              />
              <Group gap="xs">
                <CopyAs label={t('Copy as text')} text={notice.text} />
                <CopyAs label={t('Copy as HTML')} text={notice.html} />
              </Group>
            </Group>
            <article lang={language} className={classes.notice} aria-label={notice.title}>
              <Title order={3} size="h2">
                {notice.title}
              </Title>
              {notice.sections.map(({ title, sentences }) => (
                <section key={title}>
                  <Title order={4} size="h4">
                    {title}
                  </Title>
                  <Text size="md">{sentences.join(' ')}</Text>
                </section>
              ))}
            </article>
          </Stack>
        )}
      </Block>
      {data && (
        <>
          <Block
            title={t('Record of processing')}
            about={t(
              'A document for the house’s record of processing activities (Article 30 of the GDPR), with what follows from the settings. What only the house knows is left open.',
            )}
          >
            <Button
              leftSection={<Icon name="download" size={16} />}
              onClick={() => download('record-of-processing.md', 'text/markdown;charset=utf-8', [data.record])}
            >
              {t('Download as Markdown')}
            </Button>
          </Block>
          {may('installations.personal') && <Erasures appId={appId} />}
        </>
      )}
    </>
  );
}

function CopyAs({ label, text }: { readonly label: string; readonly text: string }) {
  const [said, setSaid] = useState(label);
  async function copy() {
    setSaid((await copyText(text)) ? t('Copied') : t('Copying failed; select the text instead'));
    setTimeout(() => setSaid(label), 2_500);
  }
  return (
    <Button size="sm" leftSection={<Icon name="copy" size={16} />} onClick={() => void copy()}>
      {said}
    </Button>
  );
}
