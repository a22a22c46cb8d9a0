import type { PushOptions } from './options.ts';
import type { PushContent, PushTarget } from './push-sender.ts';

/** Converts the interface's members to what is shown. Pure functions: one content for each kind of device. */

type Members = Readonly<Record<string, unknown>>;
type DeviceType = PushTarget['deviceType'];

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function compact(content: { [K in keyof PushContent]: PushContent[K] | undefined }): PushContent {
  return Object.fromEntries(
    Object.entries(content).filter(([, value]) => value !== undefined),
  ) as unknown as PushContent;
}

/** Of `POST /push/notification`: members that are not shown are passed to the app. */
export function contentOfPush(data: Members, options: PushOptions = {}): PushContent {
  const { title, alert, uri, badge, sound, image, ...rest } = data;
  const isPicture = image === undefined || typeof image === 'string';
  return compact({
    title: text(title),
    body: text(alert),
    image: text(image),
    link: text(uri),
    badge: typeof badge === 'number' ? badge : undefined,
    sound: text(sound),
    category: options.category,
    buttons: options.buttons,
    replaces: options.replaces,
    thread: options.thread,
    level: options.level,
    // Members that the interface does not name may have any type.
    data: isPicture ? rest : { ...rest, image },
  });
}

/** True if a push has nothing for the person and nothing for the app. */
export function isEmptyPush(data: Members): boolean {
  const { data: custom, ...shown } = contentOfPush(data);
  return Object.keys(shown).length === 0 && Object.keys(custom).length === 0;
}

/** The origin of a proximity message, for the app that receives it. */
interface Origin {
  readonly event: string;
  readonly eventId: string;
  readonly visitId: string;
  readonly beaconId: string;
  readonly triggerId: string;
}

export interface Shown {
  readonly kind: 'notification' | 'scenario';
  /** The notification's or the scenario's own members. */
  readonly content: Members;
  readonly origin: Origin;
}

/** A message that the engine has released, for one phone; the content is what was configured when it fired. */
export interface ProximityMessage extends Shown {
  readonly appId: string;
  readonly deliveryId: string;
  readonly installationId: string;
  /** When it fired and was asked for, epoch milliseconds. */
  readonly now: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** The language of the content, where it is known. */
  readonly language: string | null;
  /** Whether a push can reach the installation. */
  readonly hasPushTarget: boolean;
}

/** Of a notification (TEXT, IMAGE, VIDEO) or a scenario (TEXT, URL, IMAGE, VIDEO), for one kind of device. */
export function contentOfTrigger({ kind, content, origin }: Shown, deviceType: DeviceType): PushContent {
  return kind === 'notification' ? ofNotification(content, origin) : ofScenario(content, origin, deviceType);
}

/** What announces a picture or video without text: phones show no message that has neither title nor text. */
const signs: Readonly<Record<string, string>> = { IMAGE: '🖼', VIDEO: '▶' };

/** The description is a name for the people behind the app; it is never sent. */
function ofNotification({ type, message, variant }: Members, origin: Origin): PushContent {
  const { alertTitle, alertMessage, url } = (message ?? {}) as Members;
  const title = text(alertTitle);
  return compact({
    title,
    body: text(alertMessage) ?? (title === undefined ? signs[String(type)] : undefined),
    image: type === 'IMAGE' ? text(url) : undefined,
    video: type === 'VIDEO' ? text(url) : undefined,
    link: type === 'VIDEO' ? text(url) : undefined,
    data: { ...origin, type, ...(variant === undefined ? {} : { variant }) },
  });
}

function ofScenario(content: Members, origin: Origin, deviceType: DeviceType): PushContent {
  const { campaign, title, alertTitle, alertMessage, urlImageAndroid, urlImageIOS, urlPage, urlVideo, variant } =
    content;
  const [own, other] = deviceType === 'ios' ? [urlImageIOS, urlImageAndroid] : [urlImageAndroid, urlImageIOS];
  const video = campaign === 'VIDEO' ? text(urlVideo) : undefined;
  return compact({
    title: text(alertTitle) ?? text(title),
    body: text(alertMessage),
    image: text(own) ?? text(other),
    video,
    link: text(urlPage) ?? video,
    data: { ...origin, campaign, ...(variant === undefined ? {} : { variant }) },
  });
}
