import { getRouteApi } from '@tanstack/react-router';
import { SectionList } from '../../components/list/section-list.tsx';
import { LinkButton } from '../../components/page/link-button.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { useTimes } from '../../lib/time/times.ts';
import { pushList } from './push-list.tsx';

const route = getRouteApi('/signed-in/apps/$appId/push');

export function PushesPage() {
  const { appId } = route.useParams();
  const maySend = useMayCall()('sendPush');
  return (
    <SectionList
      appId={appId}
      title="Push"
      about="A message to many people at once, wherever they are."
      action={
        maySend && (
          <LinkButton to="/apps/$appId/push/new" params={{ appId }} icon="megaphone">
            Write a message
          </LinkButton>
        )
      }
      list={pushList(appId, useTimes(appId))}
      empty={{
        icon: 'megaphone',
        title: 'Nothing sent yet',
        text: maySend
          ? 'Write the first message. You see how many people it reaches before it is sent.'
          : 'Owners, managers and editors send push messages.',
      }}
    />
  );
}
