import { Button, Group } from '@mantine/core';
import type { Storyline, StorylineDetail } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmedAction } from '../../components/dialogs/confirmed-action.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { comingDays } from '../../components/rules/days.ts';
import { RuleSentence } from '../../components/rules/rule-sentence.tsx';
import { appRules, effectiveRules } from '../../components/rules/rules.ts';
import { dataOf } from '../../lib/data/api.ts';
import type { BeaconNames } from '../../lib/data/beacon-names.ts';
import { restoreFromTrash, trashKey } from '../../lib/data/history.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { timesIn } from '../../lib/time/times.ts';
import { rich, t } from '../../lib/words/words.ts';
import { ComingDays } from './coming-days.tsx';
import { scenarioKeys } from './queries.ts';
import { campaignTexts, isWordless } from './scenario-fields.ts';
import classes from './storylines.module.css';

interface Props {
  readonly appId: string;
  readonly storyline: Storyline;
  readonly scenario: StorylineDetail;
  readonly names: BeaconNames;
  readonly mayChange: boolean;
}

const icons = { TEXT: 'bell', URL: 'link', IMAGE: 'picture', VIDEO: 'play' } as const;

/** What a scenario shows, and on which of the coming days. */
export function ScenarioCard({ appId, storyline, scenario, names, mayChange }: Props) {
  const { data: app } = useQuery(appQuery(appId));
  const { campaign, beacons, event, showOn, delivery } = scenario;
  const rules = effectiveRules(appRules(app?.policy), delivery);
  const zone = rules.timeZone ?? app?.policy.timeZone ?? 'UTC';
  const places = beacons.map((id) => names(id));
  const gone = places.filter((name) => name === null).length;
  const title = scenario.alertTitle || storyline.title;
  const { isEnabled } = storyline;
  return (
    <li className={classes.card}>
      <div className={classes.cardHead}>
        <span className={classes.kind}>
          <Icon name={icons[campaign]} />
        </span>
        <h3>{title}</h3>
        {mayChange && <CardActions appId={appId} storyline={storyline} scenario={scenario} title={title} />}
      </div>
      <RuleSentence
        event={event}
        places={places.map((name) => (name === undefined ? '…' : name))}
        shown={title}
        kind={campaignTexts[campaign].kind}
        showOn={showOn}
        rules={rules}
        times={timesIn(zone)}
        isEnabled
      />
      {isWordless(scenario) && (
        <span className={classes.gone}>
          {t('It has no words of its own: visitors read the title of the storyline. Edit it to write some.')}
        </span>
      )}
      {gone > 0 && (
        <span className={classes.gone}>
          {gone === beacons.length
            ? t('Its beacons were deleted, so it is never shown.')
            : t('{gone} of its beacons {gone, plural, one {was} other {were}} deleted.', { gone })}
        </span>
      )}
      <ComingDays days={comingDays({ showOn, rules, isEnabled, zone }, Date.now())} zone={zone} />
    </li>
  );
}

function CardActions({ appId, storyline, scenario, title }: Omit<Props, 'names' | 'mayChange'> & { title: string }) {
  const [isDeleting, setDeleting] = useState(false);
  const params = { appId, storylineId: storyline.objectId, detailId: scenario.objectId };
  return (
    <Group gap={4}>
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        aria-label={t('Delete {title}', { title })}
        onClick={() => setDeleting(true)}
      >
        {t('Delete')}
      </Button>
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        component={Link}
        to="/apps/$appId/storylines/$storylineId/scenarios/new"
        params={params as never}
        search={{ from: scenario.objectId } as never}
        aria-label={t('Duplicate {name}', { name: title })}
      >
        {t('Duplicate')}
      </Button>
      <Button
        size="xs"
        variant="default"
        component={Link}
        to="/apps/$appId/storylines/$storylineId/scenarios/$detailId"
        params={params as never}
        aria-label={t('Edit {name}', { name: title })}
      >
        {t('Edit')}
      </Button>
      <ConfirmedAction
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={t('Delete the scenario')}
        confirm={t('Delete {title}', { title })}
        run={() => dataOf(appId).storylines.deleteDetail(storyline.objectId, scenario.objectId)}
        done={t('The scenario was deleted.')}
        undo={() => restoreFromTrash(appId, 'scenarios', scenario.objectId)}
        refresh={[...scenarioKeys(appId), trashKey(appId)]}
      >
        {rich('The scenario <b>{title}</b> is no longer shown. It stays in the trash for 30 days.', {
          title,
          b: (inner) => <b>{inner}</b>,
        })}
      </ConfirmedAction>
    </Group>
  );
}
