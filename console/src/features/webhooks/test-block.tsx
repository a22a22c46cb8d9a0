import { Button, Text } from '@mantine/core';
import { Block } from '../../components/page/block.tsx';
import { TestNote } from '../../components/page/test-note.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { webhooksKey } from './queries.ts';
import classes from './webhooks.module.css';

interface Props {
  readonly appId: string;
  readonly webhookId: string;
}

/** Calls the receiver now, and shows what it said. */
export function TestBlock({ appId, webhookId }: Props) {
  const test = useAction({
    run: async () => (await call('testWebhook', { params: { appId, webhookId } })).result,
    refresh: [webhooksKey(appId)],
  });
  return (
    <Block
      title="Test"
      about={
        <>
          Calls the server now with an event of the type <span className="mono">webhook.test</span>, signed like any
          other.
        </>
      }
    >
      {test.data && (
        <>
          <TestNote answer={test.data} />
          {test.data.answer && (
            <>
              <Text size="sm" fw={550} mb={4}>
                What it answered
              </Text>
              <pre className={classes.text}>{test.data.answer}</pre>
            </>
          )}
        </>
      )}
      <Button loading={test.isPending} onClick={() => test.mutate()}>
        Make a test call
      </Button>
    </Block>
  );
}
