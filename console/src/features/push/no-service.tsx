import { Alert } from '@mantine/core';
import { TextLink } from '../../components/names/names.tsx';
import { Icon } from '../../components/page/blocks.tsx';
import { useMay } from '../../lib/data/access.ts';
import { rich, t } from '../../lib/words/words.ts';
import { useReach } from './audience.tsx';

/** Says before anybody writes that nothing would arrive, and what to do. Only for those who may send, since only they may ask. */
export function NoPushService({ appId }: { readonly appId: string }) {
  const { reach } = useReach(appId, { kind: 'everyone' });
  const maySetUp = useMay()('senders.write');
  if (!reach || reach.senders > 0 || reach.reachable > 0) return null;
  return (
    <Alert color="yellow" mb="md" role="note" title={t('No push service is set up')} icon={<Icon name="warning" />}>
      {t(
        'A push does not reach anybody yet: Google, Apple or the browser brings it to the phone, and for that they need to know this app.',
      )}{' '}
      {maySetUp
        ? rich('<link>Set one up under Push services</link>', {
            link: (inner) => (
              <TextLink to="/apps/$appId/senders" params={{ appId }}>
                {inner}
              </TextLink>
            ),
          })
        : t('Ask an owner or manager to set one up.')}
    </Alert>
  );
}
