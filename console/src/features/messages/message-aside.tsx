import { useQuery } from '@tanstack/react-query';
import { MyPhone } from '../../components/message/my-phone.tsx';
import { PhonePreview } from '../../components/message/phone-preview.tsx';
import { ownFilePath } from '../../lib/data/own-files.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { inWords } from '../../lib/text/languages.ts';
import { useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { attachmentOf, type MessageFields } from './message.ts';

interface Props {
  readonly appId: string;
  readonly fields: MessageFields;
  /** '' is the message itself. */
  readonly language: string;
  /** Read where a message of a storyline has no title. */
  readonly fallback: string;
  readonly notificationId: string | undefined;
}

/** As the service sends a message without words. */
const signs = { TEXT: '', URL: '', IMAGE: '🖼', VIDEO: '▶' } as const;

/** The message as a phone shows it, in the language that is written just now. */
export function MessageAside({ appId, fields: written, language, fallback, notificationId }: Props) {
  const { data: app } = useQuery(appQuery(appId));
  const times = useTimes(appId);
  const fields = inWords(written, written.translations[language]);
  const [title, body, video] = [
    fields.alertTitle.trim() || fallback,
    fields.alertMessage.trim(),
    fields.urlVideo.trim(),
  ];
  const picture = fields.urlImageIOS.trim() || fields.urlImageAndroid.trim();
  const link = fields.urlPage.trim() || video;
  const sign = title ? '' : signs[attachmentOf(fields)];
  return (
    <>
      <PhonePreview
        appName={app?.name ?? ''}
        title={title}
        body={body || sign || (title ? '' : t('No words yet: a draft'))}
        picture={ownFilePath(picture, appId)}
        attachment={attachment(picture, video)}
        link={link || undefined}
        times={times}
      />
      <MyPhone
        appId={appId}
        about={{ notificationId, beaconId: fields.beacons[0] }}
        data={{
          ...(title ? { title } : {}),
          ...(body ? { alert: body } : {}),
          ...(picture ? { image: picture } : {}),
          ...(link ? { uri: link } : {}),
        }}
      />
    </>
  );
}

function attachment(picture: string, video: string) {
  const host = (address: string) => (URL.canParse(address) ? new URL(address).host : undefined);
  if (host(picture)) return { icon: 'picture', text: t('Picture from {host}', { host: host(picture) }) } as const;
  if (host(video)) return { icon: 'play', text: t('Video from {host}', { host: host(video) }) } as const;
  return undefined;
}
