import { SectionList } from '../../components/list/section-list.tsx';
import { LinkButton } from '../../components/page/blocks.tsx';
import { useAppId, useMayCall } from '../../lib/data/access.ts';
import { useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { NoPushService } from './no-service.tsx';
import { pushList } from './push-list.tsx';

export function PushesPage() {
  const appId = useAppId();
  const maySend = useMayCall()('sendPush');
  return (
    <SectionList
      appId={appId}
      title={t('Push')}
      about={t('A message to many people at once, wherever they are.')}
      action={
        maySend && (
          <LinkButton to="/apps/$appId/push/new" params={{ appId }} icon="megaphone">
            {t('Write a message')}
          </LinkButton>
        )
      }
      above={maySend && <NoPushService appId={appId} />}
      list={pushList(appId, useTimes(appId))}
      empty={{
        icon: 'megaphone',
        title: t('Nothing sent yet'),
        text: maySend
          ? t('Write the first message. You see how many people it reaches before it is sent.')
          : t('Owners, managers and editors send push messages.'),
      }}
    />
  );
}
