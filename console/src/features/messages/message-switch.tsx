import { Switch } from '@mantine/core';
import { useState } from 'react';
import { EnableSwitch } from '../../components/form/enable-switch.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { rich, t } from '../../lib/words/words.ts';
import { isInSeries, type Message } from './message.ts';
import { messageKeys, switchMessage } from './message-store.ts';
import { TrialDialog } from './trial-dialog.tsx';

interface Props {
  readonly appId: string;
  readonly message: Message;
  readonly isLocked: boolean;
  /** Beside the switch. */
  readonly text?: string;
}

/** Before a message is switched on, it shows what would have happened; before it is switched off, what visitors do without. */
export function MessageSwitch({ appId, message, isLocked, text }: Props) {
  const { name, isEnabled, fields } = message;
  const [isAsking, setAsking] = useState(false);
  const label = t('{title} is on', { title: name });
  const turnOn = useAction({
    run: () => switchMessage(appId, message, true),
    done: t('{name} is on.', { name }),
    undo: () => switchMessage(appId, message, false),
    refresh: messageKeys(appId),
    showsError: true,
    after: () => setAsking(false),
  });
  if (isEnabled)
    return (
      <EnableSwitch
        label={label}
        name={name}
        {...(text === undefined ? {} : { text })}
        isOn
        isLocked={isLocked}
        refresh={messageKeys(appId)}
        onChange={(isOn) => switchMessage(appId, message, isOn)}
        off={offText(message)}
      />
    );
  return (
    <>
      <Switch
        {...(text === undefined ? { 'aria-label': label } : { label: text })}
        checked={false}
        disabled={isLocked}
        onChange={() => setAsking(true)}
      />
      <TrialDialog
        appId={appId}
        fields={fields}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => turnOn.mutate()}
        isBusy={turnOn.isPending}
        failure={turnOn.error?.message}
      />
    </>
  );
}

/** What visitors do without while it is off. */
export const offText = (message: Message) =>
  rich(
    '<b>{name}</b> is shown to nobody until it is switched on again.{isMany, select, true { All messages of this series are switched off.} other {}}',
    { name: message.name, isMany: String(isInSeries(message)) },
  );
