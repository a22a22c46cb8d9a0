import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MyPhone } from '../../components/message/my-phone.tsx';
import { PhonePreview } from '../../components/message/phone-preview.tsx';
import { PreviewLanguage } from '../../components/message/preview-language.tsx';
import { comingDays } from '../../components/rules/days.ts';
import { RuleSentence } from '../../components/rules/rule-sentence.tsx';
import { appRules, effectiveRules } from '../../components/rules/rules.ts';
import { useBeaconNames } from '../../lib/data/beacon-names.ts';
import { ownFilePath } from '../../lib/data/own-files.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { inWords } from '../../lib/text/languages.ts';
import { timesIn } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { ComingDays } from './coming-days.tsx';
import { campaignTexts, type Platform, type ScenarioFields, shownOn } from './scenario-fields.ts';

interface Props {
  readonly appId: string;
  readonly storyline: { readonly title: string; readonly isEnabled: boolean };
  readonly fields: ScenarioFields;
}

/** Preview of a scenario: how it looks and when it runs. */
export function ScenarioAside({ appId, storyline, fields: written }: Props) {
  const { data: app } = useQuery(appQuery(appId));
  const [platform, setPlatform] = useState<Platform>('ios');
  const [language, setLanguage] = useState<string>();
  const fields = inWords(written, written.translations[language ?? '']);
  const names = useBeaconNames(appId, fields.beacons);
  const rules = effectiveRules(appRules(app?.policy), fields.delivery);
  const zone = rules.timeZone ?? app?.policy.timeZone ?? 'UTC';
  const { picture, video, link } = shownOn(platform, fields);
  const title = fields.alertTitle || storyline.title;
  const { isEnabled } = storyline;
  return (
    <>
      <PreviewLanguage {...written} value={language} onChange={setLanguage} />
      <SegmentedControl
        aria-label={t('Phone in the preview')}
        size="xs"
        data={[
          { value: 'ios', label: 'iPhone' },
          { value: 'android', label: t('Android') },
        ]}
        value={platform}
        onChange={(value) => setPlatform(value as Platform)}
      />
      <PhonePreview
        appName={app?.name ?? ''}
        title={title}
        body={fields.alertMessage}
        picture={ownFilePath(picture, appId)}
        attachment={attachmentOf(picture, video)}
        link={link || undefined}
        times={timesIn(zone)}
      />
      <MyPhone
        appId={appId}
        data={{
          ...(title ? { title } : {}),
          ...(fields.alertMessage ? { alert: fields.alertMessage } : {}),
          ...(picture ? { image: picture } : {}),
          ...(link ? { uri: link } : {}),
        }}
      />
      <RuleSentence
        event={fields.event}
        places={fields.beacons.map((id) => {
          const name = names(id);
          return name === undefined ? '…' : name;
        })}
        shown={title}
        kind={campaignTexts[fields.campaign].kind}
        showOn={fields.showOn}
        rules={rules}
        times={timesIn(zone)}
        isEnabled={isEnabled}
      />
      <ComingDays days={comingDays({ showOn: fields.showOn, rules, isEnabled, zone }, Date.now())} zone={zone} />
    </>
  );
}

function attachmentOf(picture: string, video: string) {
  const host = (address: string) => (URL.canParse(address) ? new URL(address).host : undefined);
  if (host(picture)) return { icon: 'picture', text: t('Picture from {host}', { host: host(picture) }) } as const;
  if (host(video)) return { icon: 'play', text: t('Video from {host}', { host: host(video) }) } as const;
  return undefined;
}
