import { Anchor, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import names from '../../components/names/names.module.css';
import { FailureNote, Icon, Loading } from '../../components/page/blocks.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { rich, t } from '../../lib/words/words.ts';
import classes from './api.module.css';
import { type ApiOperation, type ApiTag, referenceQuery } from './openapi.ts';
import { OperationView } from './operation-view.tsx';

const route = getRouteApi('/signed-in/apps/$appId/api');

export function ApiPage() {
  const { appId } = route.useParams();
  const { op, q = '' } = route.useSearch();
  const { data: tags, error } = useQuery(referenceQuery);
  const all = tags?.flatMap(({ operations }) => operations);
  const shown = all?.find(({ operationId }) => operationId === op) ?? all?.[0];
  return (
    <>
      <PageHeader title={t('API')}>
        {rich(
          "What an app can ask of the service under {code}, from the service's own <link>OpenAPI document</link>. Try each request on this app.",
          {
            code: <span className="mono">/api/v2</span>,
            link: (inner) => (
              <Anchor href="/openapi.json" inherit underline="always">
                {inner}
              </Anchor>
            ),
          },
        )}
      </PageHeader>
      {op && all && shown?.operationId !== op && (
        <FailureNote message={t('There is no operation called {op}.', { op })} />
      )}
      <Loading data={tags} error={error} height={300} />
      {tags && shown && (
        <div className={classes.page} data-chosen={op !== undefined || undefined}>
          <Index appId={appId} tags={tags} shown={shown} q={q} />
          <div className={classes.operation}>
            <Link
              to="/apps/$appId/api"
              params={{ appId }}
              search={{ q: q || undefined }}
              className={`${names.link} ${classes.all}`}
            >
              {t('All operations')}
            </Link>
            <OperationView key={shown.operationId} appId={appId} operation={shown} />
          </div>
        </div>
      )}
    </>
  );
}

const matches = (operation: ApiOperation, text: string) =>
  [operation.operationId, operation.summary, operation.path, operation.method, ...operation.tags]
    .join(' ')
    .toLowerCase()
    .includes(text.toLowerCase());

interface IndexProps {
  readonly appId: string;
  readonly tags: readonly ApiTag[];
  readonly shown: ApiOperation;
  readonly q: string;
}

function Index({ appId, tags, shown, q }: IndexProps) {
  const navigate = route.useNavigate();
  const found = tags
    .map((tag) => ({ ...tag, operations: tag.operations.filter((operation) => matches(operation, q.trim())) }))
    .filter(({ operations }) => operations.length > 0);
  return (
    <nav className={classes.index} aria-label={t('Operations')}>
      <TextInput
        type="search"
        aria-label={t('Search the operations')}
        placeholder={t('Search')}
        leftSection={<Icon name="search" size={16} />}
        value={q}
        onChange={({ currentTarget: { value } }) =>
          void navigate({ search: (known) => ({ ...known, q: value || undefined }), replace: true })
        }
      />
      {found.length === 0 && (
        <Text c="dimmed" mt="sm">
          {t('No operation matches.')}
        </Text>
      )}
      {found.map((tag) => (
        <section key={tag.name}>
          <h3>{tag.name}</h3>
          <ul>
            {tag.operations.map(({ operationId, summary }) => (
              <li key={operationId}>
                <Link
                  to="/apps/$appId/api"
                  params={{ appId }}
                  search={(known: { q?: string }) => ({ ...known, op: operationId })}
                  aria-current={operationId === shown.operationId ? 'page' : undefined}
                  activeProps={{}}
                  resetScroll={false}
                >
                  {summary}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}
