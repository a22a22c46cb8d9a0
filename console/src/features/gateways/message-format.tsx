import { Select, Stack } from '@mantine/core';
import { operations } from '@pharos/sdk';
import { useState } from 'react';
import { TechnicalDetails } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { type Gateway, gatewaysQuery } from '../../lib/fleet/gateways.ts';
import { t } from '../../lib/words/words.ts';

type Format = NonNullable<Gateway['format']>;

const makers: Readonly<Record<Format, string>> = {
  aprilbrother: 'AprilBrother',
  esphome: 'ESPHome',
  espresense: 'ESPresense',
  ingics: 'Ingics',
  kontakt: 'Kontakt.io',
  minew: 'Minew',
  openmqttgateway: 'OpenMQTTGateway, Theengs',
  ruuvi: 'Ruuvi',
  shelly: 'Shelly',
};
/** Nobody has said it. */
const found = 'found';

interface Props {
  readonly appId: string;
  readonly gateways: readonly Gateway[];
}

/** Says whose messages a gateway sends, should they not be recognised. */
export function MessageFormat({ appId, gateways }: Props) {
  const [chosen, setChosen] = useState<string>();
  const gateway = gateways.find(({ gatewayId }) => gatewayId === chosen) ?? gateways[0];
  const mayChange = useMayCall()('updateGateway');
  const change = useAction({
    run: (format: Format | null) =>
      dataOf(appId).call(operations.updateGateway, {
        params: { gatewayId: gateway?.gatewayId ?? '' },
        body: { format },
      }),
    done: t('Saved. It counts within ten seconds.'),
    refresh: [gatewaysQuery(appId).queryKey],
  });
  if (!gateway) return null;
  const set = (gateway.isFormatSet && gateway.format) || found;
  return (
    <TechnicalDetails>
      <Stack gap="sm" maw="24rem">
        <Select
          label={t('Gateway')}
          searchable
          data={gateways.map(({ gatewayId }) => gatewayId)}
          value={gateway.gatewayId}
          onChange={(next) => setChosen(next ?? undefined)}
          allowDeselect={false}
        />
        <Select
          label={t('Format of its messages')}
          data={[
            { value: found, label: t('Found automatically') },
            ...Object.entries(makers).map(([value, label]) => ({ value, label })),
          ]}
          value={set}
          disabled={!mayChange || change.isPending}
          onChange={(next) => change.mutate(next === null || next === found ? null : (next as Format))}
          allowDeselect={false}
        />
      </Stack>
    </TechnicalDetails>
  );
}
