import { Button, Group, Stack, Text } from '@mantine/core';
import { type JsonObject, operations } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { store, stored } from '../../lib/actions/storage.ts';
import { useAction } from '../../lib/actions/use-action.ts';
import { isAllowed, useSession, useStanding } from '../../lib/data/access.ts';
import { call, dataKey, dataOf } from '../../lib/data/api.ts';
import { ownPhonesQuery } from '../../lib/data/queries.ts';
import { senderName } from '../../lib/text/event-words.ts';
import { t } from '../../lib/words/words.ts';
import { OwnPhonesDialog, phoneName } from './own-phones.tsx';

interface Props {
  readonly appId: string;
  /** The message as the form has it, in the members of a push. */
  readonly data: JsonObject;
  /** To which notification, and to which beacon, it belongs: somebody limited to venues tests messages of these. */
  readonly about?: { readonly notificationId?: string | undefined; readonly beaconId?: string | undefined };
}

/** Before the id of a phone that was paired, where it is remembered. */
const ofPaired = 'paired ';

/** Sends what the form has to one phone, which is remembered on this device, and shows the result. */
export function MyPhone({ appId, data, about = {} }: Props) {
  const { email } = useSession();
  const name = `pharos.my-phone ${email} ${appId}`;
  const [kept, setKept] = useState(() => stored(name) ?? '');
  const wasPaired = kept.startsWith(ofPaired);
  const remembered = wasPaired ? kept.slice(ofPaired.length) : kept;
  const [isChoosing, setChoosing] = useState(false);
  const { isLimited, isMine } = useMayTest(about);
  const { data: own } = useQuery({ ...ownPhonesQuery(appId), enabled: isMine });
  // Paired in another browser, it is the same phone.
  const paired = own?.phones ?? [];
  // One that was chosen from a list gets a push like everybody else. One whose pairing has ended may be somebody else's by now.
  const isPairedAlone = isLimited || wasPaired || !remembered;
  const known = paired.find(({ objectId }) => objectId === remembered) ?? (isPairedAlone ? paired[0] : undefined);
  const phone = known?.objectId ?? (isPairedAlone ? '' : remembered);
  function keep(text: string) {
    store(name, text || null);
    setKept(text);
  }
  const send = useAction({
    run: async () => {
      if (known) {
        keep(ofPaired + phone);
        return sendToOwn(appId, phone, { data, ...about });
      }
      // Ids sort by creation: what is newer than this is what became of the message.
      const after = (await newestDelivery(appId, phone))?.objectId ?? '';
      await dataOf(appId).call(operations.sendPush, { body: { data, where: { objectId: phone } } });
      return async () => {
        const newest = await newestDelivery(appId, phone);
        return newest && newest.objectId > after ? newest : null;
      };
    },
    showsError: true,
  });
  if (!isMine || (wasPaired && !own)) return null;
  function choose(id: string, isPaired: boolean) {
    keep(isPaired ? ofPaired + id : id);
    setChoosing(false);
    send.reset();
  }
  const isEmpty = !data['title'] && !data['alert'];
  function forget(id: string) {
    if (id === remembered) keep('');
  }
  return (
    <>
      {phone === '' ? (
        <Button variant="subtle" size="xs" onClick={() => setChoosing(true)}>
          {t('Test on my own phone')}
        </Button>
      ) : (
        <Stack gap={4} maw="22rem" mt="0.75rem" mb="1rem" mx="auto">
          <Group gap="xs">
            <Button size="xs" disabled={isEmpty} loading={send.isPending} onClick={() => send.mutate()}>
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
          {send.data !== undefined && (
            <Outcome key={send.submittedAt} appId={appId} name={`${phone} ${send.submittedAt}`} read={send.data} />
          )}
        </Stack>
      )}
      <OwnPhonesDialog
        appId={appId}
        isOpen={isChoosing}
        chosen={phone}
        isOwnAlone={isLimited}
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

interface About {
  readonly notificationId?: string | undefined;
  readonly beaconId?: string | undefined;
}

/** Somebody limited to venues tests what belongs to one of them, on a phone that was paired. */
function useMayTest({ notificationId, beaconId }: About) {
  const standing = useStanding();
  const isLimited = standing?.venues !== undefined;
  const mayTest = standing !== undefined && isAllowed(standing.role, 'push.send');
  const isMine = isLimited
    ? mayTest && Boolean(notificationId || beaconId)
    : (standing?.mayCall('sendPush') && standing.mayCall('listInstallations')) === true;
  return { isLimited, isMine };
}

/** Sends to a phone that was paired. Answers how to ask what became of it. */
async function sendToOwn(appId: string, installationId: string, message: { readonly data: JsonObject } & About) {
  const { data, notificationId, beaconId } = message;
  const params = { appId, installationId };
  const body = { data, ...(notificationId ? { notificationId } : {}), ...(beaconId ? { beaconId } : {}) };
  const { pushId } = (await call('testOnOwnPhone', { params, body })).result;
  return async () => (await call('getOwnPhoneTest', { params: { ...params, pushId } })).result.delivery;
}

async function newestDelivery(appId: string, phone: string) {
  const where = { installationId: { __type: 'Pointer', className: '_Installation', objectId: phone } };
  return (await dataOf(appId).call(operations.listDeliveries, { query: { where, order: '-objectId', limit: 1 } }))
    .results[0];
}

/** After this many polls, one a second, there will be no delivery. */
const maxLooks = 20;

interface OutcomeProps {
  readonly appId: string;
  /** Tells this one from others. */
  readonly name: string;
  readonly read: () => Promise<Delivered | null>;
}

function Outcome({ appId, name, read }: OutcomeProps) {
  const [looks, setLooks] = useState(0);
  const { data: delivery } = useQuery({
    queryKey: dataKey(appId, 'listDeliveries', 'my phone', name),
    queryFn: async () => {
      const found = await read();
      setLooks((known) => known + 1);
      return found;
    },
    // Until the push service has answered, and then a while for the phone.
    refetchInterval: ({ state }) => (state.data?.receivedAt || state.dataUpdateCount > 3 * maxLooks ? false : 1_000),
  });
  if (!delivery && looks > maxLooks)
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
  readonly state: string;
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
