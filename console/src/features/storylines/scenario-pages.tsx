import { Box } from '@mantine/core';
import type { StorylineDetail } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { HistoryButton } from '../../components/history/history-button.tsx';
import { OwnerBlock } from '../../components/owner/owner-block.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { BackLink, RecordPage } from '../../components/page/record-page.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { t } from '../../lib/words/words.ts';
import { scenarioKeys, scenarioQuery, storylineQuery } from './queries.ts';
import { scenarioFields, scenarioLabels } from './scenario-fields.ts';
import { ScenarioForm, showScenario } from './scenario-form.tsx';
import { useScenarioStop } from './scenario-stop.ts';

const createRoute = getRouteApi('/signed-in/apps/$appId/storylines/$storylineId/scenarios/new');
const oneRoute = getRouteApi('/signed-in/apps/$appId/storylines/$storylineId/scenarios/$detailId');

interface Target {
  readonly appId: string;
  readonly storylineId: string;
}

function useStoryline({ appId, storylineId }: Target) {
  const { data } = useQuery(storylineQuery(appId, storylineId));
  const navigate = useNavigate();
  const goBack = () => void navigate({ to: '/apps/$appId/storylines/$storylineId', params: { appId, storylineId } });
  const wayBack = {
    label: data?.title ?? t('The storyline'),
    to: '/apps/$appId/storylines/$storylineId',
    params: { appId, storylineId },
  };
  return { goBack, wayBack, title: data?.title ?? '', isEnabled: data?.isEnabled ?? true };
}

export function NewScenarioPage() {
  const target = createRoute.useParams();
  const { from } = createRoute.useSearch();
  const { goBack, wayBack, title, isEnabled } = useStoryline(target);
  const { data: model, error } = useQuery({
    ...scenarioQuery(target.appId, target.storylineId, from ?? ''),
    enabled: from !== undefined,
  });
  const isReady = from === undefined || model !== undefined;
  return (
    <>
      <PageHeader title={t('Add a scenario')} back={<BackLink {...wayBack} />} />
      <FailureNote message={error?.message} />
      {isReady && (
        <ScenarioForm
          {...target}
          {...(model ? { model } : {})}
          storyline={{ title, isEnabled }}
          onDone={goBack}
          onCancel={goBack}
        />
      )}
    </>
  );
}

export function ScenarioPage() {
  const { detailId, ...target } = oneRoute.useParams();
  const { goBack, wayBack, title, isEnabled } = useStoryline(target);
  const query = useQuery(scenarioQuery(target.appId, target.storylineId, detailId));
  const mayChange = useMayCall()('updateStorylineDetail');
  const stop = useScenarioStop(target.appId, { title, isEnabled });
  return (
    <RecordPage
      query={query}
      title={(scenario) => scenario?.alertTitle || t('Scenario')}
      all={wayBack}
      height={400}
      action={(scenario) => (
        <HistoryButton
          appId={target.appId}
          kind="scenarios"
          recordId={detailId}
          present={scenario}
          updatedAt={scenario.updatedAt}
          labels={scenarioLabels}
          show={showScenario(target.appId)}
          mayChange={mayChange}
          stop={(now: StorylineDetail, then: StorylineDetail) => stop(scenarioFields(now), scenarioFields(then))}
          refresh={scenarioKeys(target.appId)}
        />
      )}
    >
      {(scenario) => (
        <>
          <ScenarioForm
            key={scenario.objectId}
            {...target}
            scenario={scenario}
            storyline={{ title, isEnabled }}
            isLocked={!mayChange}
            onDone={goBack}
            onCancel={goBack}
          />
          <Box mt="lg">
            <OwnerBlock
              appId={target.appId}
              name={scenario.alertTitle || title}
              createdBy={scenario.createdBy}
              operation="updateStorylineDetailOwner"
              rules={{ group: 'resources', name: 'scenarios' }}
              read={() => dataOf(target.appId).storylines.getDetail(target.storylineId, detailId)}
              handOver={(userId, how) =>
                dataOf(target.appId).storylines.handOverDetail(target.storylineId, detailId, userId, how)
              }
              refresh={scenarioKeys(target.appId)}
            />
          </Box>
        </>
      )}
    </RecordPage>
  );
}
