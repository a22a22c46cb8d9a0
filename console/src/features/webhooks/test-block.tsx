import { Button, Text } from '@mantine/core';
import { CodeBlock } from '../../components/code/code-block.tsx';
import { Block } from '../../components/page/blocks.tsx';
import { TestNote } from '../../components/page/test-note.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { rich, t } from '../../lib/words/words.ts';
import { webhooksKey } from './queries.ts';

interface Props {
  readonly appId: string;
  readonly webhookId: string;
}

/** Calls the receiver now and shows its answer. */
export function TestBlock({ appId, webhookId }: Props) {
  const test = useAction({
    run: async () => (await call('testWebhook', { params: { appId, webhookId } })).result,
    refresh: [webhooksKey(appId)],
  });
  return (
    <Block
      title={t('Test')}
      about={rich('Calls the server now with a signed event of the type {code}.', {
        code: <span className="mono">webhook.test</span>,
      })}
    >
      {test.data && (
        <>
          <TestNote answer={test.data} />
          {test.data.answer && (
            <>
              <Text fw={550} mb={4}>
                {t('Answer')}
              </Text>
              <CodeBlock>{test.data.answer}</CodeBlock>
            </>
          )}
        </>
      )}
      <Button variant="filled" mt={test.data?.answer ? 'md' : 0} loading={test.isPending} onClick={() => test.mutate()}>
        {t('Make a test call')}
      </Button>
    </Block>
  );
}
