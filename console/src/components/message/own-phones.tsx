import { Alert, Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { operations } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useAction } from '../../lib/actions/use-action.ts';
import { call, dataKey, dataOf } from '../../lib/data/api.ts';
import { ownPhonesQuery } from '../../lib/data/queries.ts';
import { showAge } from '../../lib/time/times.ts';
import { rich, t } from '../../lib/words/words.ts';
import { CopyField } from '../code/copy-field.tsx';
import { QrCode } from '../code/qr-code.tsx';
import { Row, RowButton, RowList } from '../list/row-list.tsx';
import { shortId } from '../names/names.tsx';
import { FailureNote, Icon } from '../page/blocks.tsx';
import { handbookAt } from '../sections/help.ts';

interface Props {
  readonly appId: string;
  readonly isOpen: boolean;
  /** The objectId of the phone that is used now; empty without one. */
  readonly chosen: string;
  /** Without the list of phones, for people who may not see it. */
  readonly isOwnAlone: boolean;
  /** What a phone is paired for; without it, to test messages. */
  readonly about?: string;
  /** False: it was chosen from the list of all. */
  readonly onChoose: (installationId: string, isPaired: boolean) => void;
  /** It is no longer paired. */
  readonly onRemove: (installationId: string) => void;
  readonly onClose: () => void;
}

/** The phones of the signed-in administrator: pairing one, choosing one, removing one. */
export function OwnPhonesDialog({ isOpen, onClose, ...rest }: Props) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t('Your phone')}>
      <OwnPhones {...rest} onClose={onClose} />
    </Modal>
  );
}

type Own = Awaited<ReturnType<NonNullable<ReturnType<typeof ownPhonesQuery>['queryFn']>>>;
type Phone = Own['phones'][number];

const kinds: Readonly<Record<string, string>> = {
  ios: t('iPhone or iPad'),
  android: t('Android'),
  web: t('Browser'),
  embedded: t('Device'),
};

export const phoneName = ({ deviceModel, deviceType }: Pick<Phone, 'deviceModel' | 'deviceType'>): string =>
  deviceModel ?? kinds[deviceType] ?? deviceType;

/** While a code is on screen. */
const lookEveryMs = 2_000;

function OwnPhones({ appId, chosen, isOwnAlone, about, onChoose, onRemove, onClose }: Omit<Props, 'isOpen'>) {
  const make = useAction({
    run: async () => (await call('createPairingCode', { params: { appId } })).result,
    showsError: true,
  });
  const shown = make.data;
  // Until the next look, what is known is of the code before, which another phone may have used.
  const claimOf = (known: Own | undefined) =>
    shown && known?.code?.expiresAt === shown.expiresAt ? known.code.claimedBy : null;
  const { data } = useQuery({
    ...ownPhonesQuery(appId),
    refetchInterval: ({ state }) => (shown && !claimOf(state.data) ? lookEveryMs : false),
  });
  const [isGuessing, setGuessing] = useState(false);
  const claimedBy = claimOf(data);
  const paired = data?.phones.find(({ objectId }) => objectId === claimedBy);
  useEndOfCode(appId, shown !== undefined && !paired);
  if (!data) return null;
  const { phones } = data;
  if (isGuessing) return <Guess appId={appId} chosen={chosen} onChoose={onChoose} onClose={() => setGuessing(false)} />;
  if (paired)
    return (
      <Stack>
        <Alert color="teal" icon={<Icon name="check" />} role="status">
          {t('Paired with {phone}.', { phone: phoneName(paired) })}
          {!paired.hasAddress && ` ${noAddress()}`}
        </Alert>
        <Group justify="flex-end">
          <Button variant="filled" onClick={() => onChoose(paired.objectId, true)} data-autofocus>
            {t('Use this phone')}
          </Button>
        </Group>
      </Stack>
    );
  return (
    <Stack>
      <RowList rows={phones} error={null} label={t('Your phones')}>
        {(phone) => (
          <Line
            key={phone.objectId}
            appId={appId}
            phone={phone}
            isChosen={phone.objectId === chosen}
            onChoose={onChoose}
            onRemove={onRemove}
          />
        )}
      </RowList>
      {shown ? (
        <Code {...shown} isOver={data.code === null} />
      ) : (
        <Text>
          {about ??
            t('Pair the phone once: the app on it scans a code that is shown here. Then tests go to that phone alone.')}
        </Text>
      )}
      <FailureNote message={make.error?.message} />
      <Group justify="space-between">
        {isOwnAlone ? (
          <span />
        ) : (
          <Button variant="subtle" size="xs" onClick={() => setGuessing(true)}>
            {t('The app cannot scan a code')}
          </Button>
        )}
        <Group gap="xs">
          <Button onClick={onClose}>{t('Close')}</Button>
          {(!shown || data.code === null) && (
            <Button variant="filled" loading={make.isPending} onClick={() => make.mutate()}>
              {shown ? t('Show a new code') : phones.length > 0 ? t('Pair another phone') : t('Pair a phone')}
            </Button>
          )}
        </Group>
      </Group>
    </Stack>
  );
}

const noAddress = () => t('It has no push address yet: allow notifications in the app, and open it once more.');

/** A code that is no longer shown is of no use. */
function useEndOfCode(appId: string, isWaiting: boolean) {
  const waits = useRef(false);
  waits.current = isWaiting;
  useEffect(
    () => () => {
      if (waits.current) void call('deletePairingCode', { params: { appId } }).catch(() => undefined);
    },
    [appId],
  );
}

interface CodeProps {
  readonly code: string;
  readonly text: string;
  readonly isOver: boolean;
}

function Code({ code, text, isOver }: CodeProps) {
  if (isOver) return <Text role="status">{t('The code is older than five minutes. Show a new one.')}</Text>;
  return (
    <Stack gap="sm">
      <Text>
        {text === code
          ? t('Open the app on your phone, and scan this where the app offers it.')
          : t('Scan this with the camera of your phone; it opens the app.')}
      </Text>
      <QrCode text={text} label={t('QR code that pairs your phone')} />
      <CopyField label={t('Or type this code into the app')} text={`${code.slice(0, 4)}-${code.slice(4)}`} />
      <Text c="dimmed" role="status">
        {t('Waiting for your phone. The code works once, for five minutes.')}
      </Text>
    </Stack>
  );
}

interface LineProps extends Pick<Props, 'appId' | 'onChoose' | 'onRemove'> {
  readonly phone: Phone;
  readonly isChosen: boolean;
}

function Line({ appId, phone, isChosen, onChoose, onRemove }: LineProps) {
  const name = phoneName(phone);
  const remove = useAction({
    run: () => call('unpairPhone', { params: { appId, installationId: phone.objectId } }),
    done: t('{name} is no longer paired.', { name }),
    refresh: [ownPhonesQuery(appId).queryKey],
    after: () => onRemove(phone.objectId),
  });
  return (
    <Row
      title={name}
      facts={[
        phone.appVersion && t('app {version}', { version: phone.appVersion }),
        t('paired {age}', { age: showAge(phone.pairedAt) }),
        isChosen && t('tests go here'),
      ]}
      tools={
        <>
          {!isChosen && (
            <RowButton label={t('Use')} of={t('Use {name}', { name })} onClick={() => onChoose(phone.objectId, true)} />
          )}
          <RowButton
            label={t('Remove')}
            of={t('Remove {name}', { name })}
            isBusy={remove.isPending}
            onClick={() => remove.mutate()}
          />
        </>
      }
    >
      {!phone.hasAddress && (
        <Text size="xs" c="red">
          {noAddress()}
        </Text>
      )}
    </Row>
  );
}

const maxShown = 20;

/** For apps that cannot pair: the phones on which the app is opened while this is shown. Those of visitors are not listed. */
function Guess({ appId, chosen, onChoose, onClose }: Omit<Props, 'isOpen' | 'isOwnAlone' | 'about' | 'onRemove'>) {
  const [picked, setPicked] = useState(chosen);
  /** When the newest phone was heard from before this was opened, by the service's clock. */
  const before = useRef<string>(undefined);
  const { data: phones } = useQuery({
    queryKey: dataKey(appId, 'listInstallations', 'my phone'),
    queryFn: async () => {
      const { results } = await dataOf(appId).call(operations.listInstallations, {
        query: { order: '-updatedAt', limit: maxShown },
      });
      before.current ??= results[0]?.updatedAt ?? '';
      const last = before.current;
      return results.filter(({ updatedAt }) => updatedAt > last);
    },
    gcTime: 0,
    refetchInterval: lookEveryMs,
  });
  const options = (phones ?? []).map(({ objectId, installationId, deviceType, updatedAt }) => ({
    value: objectId,
    label: `${shortId(installationId ?? objectId)}, ${deviceType}, ${showAge(updatedAt)}`,
  }));
  const value = options.some((one) => one.value === picked) ? picked : (options[0]?.value ?? '');
  return (
    <Stack>
      <Alert color="yellow" icon={<Icon name="warning" />}>
        {rich(
          'Take care that it is yours: tests go to the phone that you choose, also if it is a visitor’s. An app that <link>pairs</link> cannot be mistaken.',
          {
            link: (inner) => (
              <a href={handbookAt('messages#testing-on-your-own-phone')} target="_blank" rel="noreferrer">
                {inner}
              </a>
            ),
          },
        )}
      </Alert>
      {phones && (
        <Text role="status">
          {t('Open the app on your phone now, or close and open it again: phones that open it are listed here.')}
        </Text>
      )}
      {value !== '' && (
        <NativeSelect
          label={t('Your phone')}
          data={options}
          value={value}
          onChange={({ currentTarget }) => setPicked(currentTarget.value)}
        />
      )}
      <Group justify="flex-end">
        <Button onClick={onClose}>{t('Back')}</Button>
        <Button variant="filled" disabled={value === ''} onClick={() => onChoose(value, false)}>
          {t('This is mine')}
        </Button>
      </Group>
    </Stack>
  );
}
