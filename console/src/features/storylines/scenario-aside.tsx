import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { PhonePreview } from '../../components/message/phone-preview.tsx';
import { comingDays } from '../../components/rules/days.ts';
import { RuleSentence } from '../../components/rules/rule-sentence.tsx';
import { appRules, effectiveRules } from '../../components/rules/rules.ts';
import { useBeaconNames } from '../../lib/data/beacon-names.ts';
import { ownFilePath } from '../../lib/data/own-files.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { timesIn } from '../../lib/time/times.ts';
import { ComingDays } from './coming-days.tsx';
import { campaignTexts, type Platform, type ScenarioFields, shownOn } from './scenario-fields.ts';

interface Props {
  readonly appId: string;
  readonly storyline: { readonly title: string; readonly isEnabled: boolean };
  readonly fields: ScenarioFields;
}

/** Preview of a scenario: how it looks and when it runs. */
export function ScenarioAside({ appId, storyline, fields }: Props) {
  const { data: app } = useQuery(appQuery(appId));
  const [platform, setPlatform] = useState<Platform>('ios');
  const names = useBeaconNames(appId, fields.beacons);
  const rules = effectiveRules(appRules(app?.policy), fields.delivery);
  const zone = rules.timeZone ?? app?.policy.timeZone ?? 'UTC';
  const { picture, video, link } = shownOn(platform, fields);
  const title = fields.alertTitle || storyline.title;
  const { isEnabled } = storyline;
  return (
    <>
      <SegmentedControl
        aria-label="Phone in the preview"
        size="xs"
        data={[
          { value: 'ios', label: 'iPhone' },
          { value: 'android', label: 'Android' },
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
  if (host(picture)) return { icon: 'picture', text: `Picture from ${host(picture)}` } as const;
  if (host(video)) return { icon: 'play', text: `Video from ${host(video)}` } as const;
  return undefined;
}
