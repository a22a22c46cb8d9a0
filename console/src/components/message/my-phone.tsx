import { Button, Group, Stack, Text } from '@mantine/core';
import type { JsonObject } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMayCall, useSession } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';
import { ownPhonesQuery } from '../../lib/data/queries.ts';
import { senderName } from '../../lib/text/delivery-words.ts';
import { t } from '../../lib/words/words.ts';
import classes from './my-phone.module.css';
import { OwnPhonesDialog, phoneName } from './own-phones.tsx';

interface Props {
  readonly appId: string;
  /** The message as the form has it, in the members of a push. */
  readonly data: JsonObject;
}

/** Sends what the form has to one phone, which is remembered on this device, and says what became of it. */
export function MyPhone({ appId, data }: Props) {
  const { email } = useSession();
  const name = `pharos.my-phone ${email} ${appId}`;
  const [remembered, setRemembered] = useState(() => localStorage.getItem(name) ?? '');
  const [isChoosing, setChoosing] = useState(false);
  const mayCall = useMayCall();
  const isMine = mayCall('sendPush') && mayCall('listInstallations');
  const { data: own } = useQuery({ ...ownPhonesQuery(appId), enabled: isMine });
  // Paired in another browser, it is the same phone.
  const phone = remembered || (own?.phones[0]?.objectId ?? '');
  const send = useAction({
    run: async () => {
      // Ids sort by creation: what is newer than this is what became of the message.
      const after = (await newestDelivery(appId, phone))?.objectId ?? '';
      await dataOf(appId).call('sendPush', { body: { data, where: { objectId: phone } } });
      return after;
    },
    showsError: true,
  });
  if (!isMine) return null;
  function choose(id: string) {
    localStorage.setItem(name, id);
    setRemembered(id);
    setChoosing(false);
    send.reset();
  }
  const isEmpty = !data['title'] && !data['alert'];
  function forget(id: string) {
    if (id !== remembered) return;
    localStorage.removeItem(name);
    setRemembered('');
  }
  const known = own?.phones.find(({ objectId }) => objectId === phone);
  return (
    <>
      {phone === '' ? (
        <Button variant="subtle" size="xs" onClick={() => setChoosing(true)}>
          {t('Test on my own phone')}
        </Button>
      ) : (
        <Stack gap={4} className={classes.phone}>
          <Group gap="xs">
            <Button
              variant="default"
              size="xs"
              disabled={isEmpty}
              loading={send.isPending}
              onClick={() => send.mutate()}
            >
              {t('Send to my phone')}
            </Button>
            <Button variant="subtle" size="xs" onClick={() => setChoosing(true)}>
              {t('Another phone')}
            </Button>
          </Group>
          {known && <Small>{t('It goes to {phone} alone.', { phone: phoneName(known) })}</Small>}
          {isEmpty && <Small>{t('Write something first.')}</Small>}
          {send.error && (
            <Text size="xs" c="red" role="alert">
              {send.error.message}
            </Text>
          )}
          {send.data !== undefined && <Outcome key={send.submittedAt} appId={appId} phone={phone} after={send.data} />}
        </Stack>
      )}
      <OwnPhonesDialog
        appId={appId}
        isOpen={isChoosing}
        chosen={phone}
        onChoose={choose}
        onRemove={forget}
        onClose={() => setChoosing(false)}
      />
    </>
  );
}

const Small = ({ children }: { readonly children: string }) => (
  <Text size="xs" c="dimmed">
    {children}
  </Text>
);

async function newestDelivery(appId: string, phone: string) {
  const where = { installationId: { __type: 'Pointer', className: '_Installation', objectId: phone } };
  return (await dataOf(appId).call('listDeliveries', { query: { where, order: '-objectId', limit: 1 } })).results[0];
}

/** After so many looks, a second each, there will be no delivery. */
const mostLooks = 20;

interface OutcomeProps {
  readonly appId: string;
  readonly phone: string;
  /** The delivery before it. */
  readonly after: string;
}

/** What became of the one delivery. */
function Outcome({ appId, phone, after }: OutcomeProps) {
  const [looks, setLooks] = useState(0);
  const { data: delivery } = useQuery({
    queryKey: dataKey(appId, 'listDeliveries', 'my phone', phone, after),
    queryFn: async () => {
      const newest = await newestDelivery(appId, phone);
      setLooks((known) => known + 1);
      return newest && newest.objectId > after ? newest : null;
    },
    // Until the push service has answered, and then a while for the phone.
    refetchInterval: ({ state }) => (state.data?.receivedAt || state.dataUpdateCount > 3 * mostLooks ? false : 1_000),
  });
  if (!delivery && looks > mostLooks)
    return (
      <Text size="xs" c="red" role="status">
        {t(
          'Nothing was sent to this phone. It may be gone, have refused messages, or not have shown that it is this phone.',
        )}
      </Text>
    );
  return (
    <Text size="xs" role="status" {...(isBad(delivery?.state) ? { c: 'red' } : {})}>
      {delivery ? outcomeText(delivery) : t('It is on its way …')}
    </Text>
  );
}

interface Delivered {
  readonly state: 'queued' | 'sent' | 'failed' | 'expired' | 'noTarget' | 'cancelled';
  readonly reason?: string;
  readonly sender?: string;
  readonly receivedAt?: string;
}

const isBad = (state: Delivered['state'] | undefined) => state !== undefined && state !== 'queued' && state !== 'sent';

function outcomeText({ state, reason, sender, receivedAt }: Delivered): string {
  if (receivedAt) return t('The phone has received it.');
  const service = sender ? senderName(sender) : t('The push service');
  if (state === 'sent') return t('{service} accepted it. Look at your phone.', { service });
  if (state === 'queued') return reason ? t('It is waiting: {reason}', { reason }) : t('It is on its way …');
  return t('It did not reach the phone. {reason}', { reason: reason ?? t('The phone has no push address.') });
}
