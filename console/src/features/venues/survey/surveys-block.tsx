import { Stack, Text } from '@mantine/core';
import { type Floor, operations } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmedAction } from '../../../components/dialogs/confirm-dialog.tsx';
import { Row, RowButton, RowList } from '../../../components/list/row-list.tsx';
import { Block, LinkButton } from '../../../components/page/blocks.tsx';
import { useMayCall } from '../../../lib/data/access.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { useTimes } from '../../../lib/time/times.ts';
import { t, tenths } from '../../../lib/words/words.ts';
import { type Accuracy, type Survey, surveyKeys, surveysQuery } from './queries.ts';

interface Props {
  readonly appId: string;
  readonly floor: Floor;
  readonly accuracy: Accuracy | undefined;
}

/** How well it is known where people are on a floor, and the walks from which that is known. */
export function SurveysBlock({ appId, floor, accuracy }: Props) {
  const may = useMayCall();
  const times = useTimes(appId);
  const { data: surveys, error } = useQuery(surveysQuery(appId, floor.objectId));
  const [removed, setRemoved] = useState<Survey>();
  const nameOf = (survey: Survey) => times.minute(survey.startedAt);
  return (
    <Block
      title={t('How well visitors are found')}
      about={t('Somebody walks the floor with a phone, and the service learns how its beacons are heard here.')}
    >
      <Stack gap="md">
        {accuracy && <AccuracyNote accuracy={accuracy} />}
        <RowList rows={surveys} error={error} label={t('Surveys')}>
          {(survey) => (
            <Row
              key={survey.objectId}
              title={nameOf(survey)}
              facts={[
                survey.way.length === 1
                  ? t('One spot')
                  : t('{points, plural, one {# point} other {# points}} of the way', { points: survey.way.length }),
                t('{beacons, plural, one {# beacon} other {# beacons}} heard', { beacons: survey.heard.length }),
                survey.unknown > 0 &&
                  t('{count, plural, one {# signal} other {# signals}} of unknown beacons left out', {
                    count: survey.unknown,
                  }),
                survey.deviceModel,
                survey.surveyedBy,
              ]}
              tools={
                may('deleteSurvey') && (
                  <RowButton
                    label={t('Delete')}
                    of={t('{action}: {name}', { action: t('Delete'), name: nameOf(survey) })}
                    onClick={() => setRemoved(survey)}
                  />
                )
              }
            />
          )}
        </RowList>
        {may('createSurvey') && (
          <div>
            <LinkButton
              icon="plus"
              isPlain
              to="/apps/$appId/beacons/venues/$venueId/floors/$floorId/survey"
              params={{ appId, venueId: floor.venueId.objectId, floorId: floor.objectId }}
            >
              {t('Survey this floor')}
            </LinkButton>
          </div>
        )}
      </Stack>
      <ConfirmedAction
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        title={t('Delete the survey')}
        run={async () => {
          if (!removed) return;
          const params = { objectId: floor.objectId, surveyId: removed.objectId };
          await dataOf(appId).call(operations.deleteSurvey, { params });
        }}
        done={t('The survey was deleted.')}
        refresh={surveyKeys(appId)}
      >
        {t('What was learned from it is forgotten, and worked out again from the others.')}
      </ConfirmedAction>
    </Block>
  );
}

const hundred = (share: number) => Math.round(100 * share);

function AccuracyNote({ accuracy }: { readonly accuracy: Accuracy }) {
  const { isUsed, isCurrent, surveyed, unsurveyed, badSpots } = accuracy;
  const figure = isUsed ? surveyed : unsurveyed;
  return (
    <Stack gap="xs" role="status">
      {figure && (
        <Text size="md" fw={600}>
          {t('On this floor the right zone is told in {share} of 100 seconds ({low} to {high}).', {
            share: hundred(figure.zone.share),
            low: hundred(figure.zone.low),
            high: hundred(figure.zone.high),
          })}
        </Text>
      )}
      {figure?.position && (
        <Text>
          {t(
            'Half of the positions are off by less than {p50} m ({low} to {high}), nine of ten by less than {p90} m.',
            {
              p50: tenths(figure.position.p50.metres),
              low: tenths(figure.position.p50.low),
              high: tenths(figure.position.p50.high),
              p90: tenths(figure.position.p90.metres),
            },
          )}
        </Text>
      )}
      <Text c="dimmed">
        {stateText(accuracy)} {!isCurrent && t('This is being worked out again.')}
      </Text>
      {badSpots.length > 0 && (
        <>
          <Text fw={600}>{t('Where it goes wrong, marked on the plan:')}</Text>
          <ul>
            {badSpots.map(({ x, y, share, advice }) => (
              <li key={`${x} ${y}`}>
                <Text>
                  {t('{x} m from the left, {y} m from the top: right in {share} of 100 seconds.', {
                    x: tenths(x),
                    y: tenths(y),
                    share: hundred(share),
                  })}{' '}
                  {advices[advice]}
                </Text>
              </li>
            ))}
          </ul>
        </>
      )}
    </Stack>
  );
}

const advices: Readonly<Record<Accuracy['badSpots'][number]['advice'], string>> = {
  beacon: t('Another beacon here would help.'),
  power: t('The nearest beacon is hardly heard: let it send more loudly or more often.'),
  survey: t('Walk past here once more.'),
};

function stateText({ isUsed, reason, surveys, surveyed, unsurveyed }: Accuracy): string {
  if (isUsed && surveyed && unsurveyed)
    return t('Without the surveys it would be {share} of 100.', { share: hundred(unsurveyed.zone.share) });
  if (reason === 'worse')
    return t(
      'The surveys are not used, since more is right without them. One of them may be wrong: delete it, or survey again.',
    );
  if (reason === 'oneZone') return t('The surveys are not used, because the app does not compute positions.');
  if (surveys > 0) return t('After more surveys the service can tell whether they help, and then uses them.');
  return t('Nobody has surveyed this floor yet.');
}
