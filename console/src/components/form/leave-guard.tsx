import { Button, Group, Modal, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { isLeaving } from '../../lib/data/single-sign-on.ts';
import { t } from '../../lib/words/words.ts';
import type { Fields } from './use-fields.ts';

interface Props {
  readonly form: Pick<Fields<object>, 'isDirty' | 'isDirtyNow' | 'isKept' | 'reset' | 'base'>;
}

/** Asks before a page is left on which something was typed and not saved; the browser asks before a reload. */
export function LeaveGuard({ form }: Props) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => form.isDirtyNow() && current.pathname !== next.pathname,
    // A provider leads back here, where the draft is.
    enableBeforeUnload: () => form.isDirtyNow() && !(form.isKept && isLeaving()),
    withResolver: true,
  });
  const isAsked = blocker.status === 'blocked';
  function discard() {
    form.reset(form.base);
    blocker.proceed?.();
  }
  return (
    <Modal opened={isAsked} onClose={() => blocker.reset?.()} title={t('Leave without saving?')}>
      <Text>
        {form.isKept
          ? t(
              'What you have typed is not saved. It can be kept as a draft on this device, until you open this form again.',
            )
          : t('What you have typed is not saved and would be lost.')}
      </Text>
      <Group justify="flex-end" mt="md" gap="xs">
        <Button onClick={() => blocker.reset?.()} data-autofocus>
          {t('Stay')}
        </Button>
        <Button color="red" onClick={discard}>
          {t('Throw it away')}
        </Button>
        {form.isKept && (
          <Button variant="filled" onClick={() => blocker.proceed?.()}>
            {t('Keep a draft and leave')}
          </Button>
        )}
      </Group>
    </Modal>
  );
}
