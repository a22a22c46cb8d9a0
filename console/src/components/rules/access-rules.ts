interface Choice {
  readonly name: 'listUsers' | 'readContent' | 'writeContent' | 'push';
  readonly label: string;
  readonly options: Readonly<Record<string, string>>;
  /** By option: why one should think twice. The defaults of the specification are open, and each copy of an app holds its key. */
  readonly warnings: Readonly<Record<string, string>>;
}

const everyone = 'Everyone with the app key';
const users = 'Every signed-in user';
const managers = 'Users with the role manager';
const nobody = 'Nobody';

export const choices: readonly Choice[] = [
  {
    name: 'listUsers',
    label: 'Who may list the users of the app?',
    options: { app: everyone, user: users, manager: managers, nobody },
    warnings: {
      app: 'The key is in every copy of the app, so anybody can read the names and e-mail addresses of all users.',
      user: 'Anybody can sign up, and then read the names and e-mail addresses of all users.',
    },
  },
  {
    name: 'readContent',
    label: 'Who may read beacons, notifications and storylines?',
    options: { user: users, app: `${everyone}, for visitors who never sign in` },
    warnings: {},
  },
  {
    name: 'writeContent',
    label: 'Who may change beacons, notifications, storylines and schemas?',
    options: { user: users, manager: managers, nobody },
    warnings: { user: 'Anybody can sign up, and then change or delete what your visitors see.' },
  },
  {
    name: 'push',
    label: 'Who may send push notifications?',
    options: { user: users, manager: managers, nobody },
    warnings: { user: 'Anybody can sign up, and then send a message to all of your visitors.' },
  },
];

interface OnOff {
  readonly name: 'uploadNeedsUser' | 'deviceNeedsUser';
  readonly label: string;
  readonly about: string;
  readonly warning: string;
}

export const switches: readonly OnOff[] = [
  {
    name: 'uploadNeedsUser',
    label: 'Only signed-in users may upload files',
    about: 'Off, everyone with the app key may.',
    warning: 'Anybody with a copy of the app can fill the storage with files.',
  },
  {
    name: 'deviceNeedsUser',
    label: 'Only signed-in users may register devices',
    about: 'Off, everyone with the app key may.',
    warning: 'Anybody with a copy of the app can add devices.',
  },
];
