interface Choice {
  readonly name: 'listUsers' | 'readContent' | 'writeContent' | 'push';
  readonly label: string;
  readonly options: Readonly<Record<string, string>>;
  /** Risks, by option. The defaults of the specification are open, and every copy of an app contains its key. */
  readonly warnings: Readonly<Record<string, string>>;
}

const everyone = 'Everyone with the app key';
const users = 'Every signed-in user';
const managers = 'Users with the role manager';
const nobody = 'Nobody';

export const accessChoices: readonly Choice[] = [
  {
    name: 'listUsers',
    label: 'Who may list the users of the app?',
    options: { app: everyone, user: users, manager: managers, nobody },
    warnings: {
      app: 'Every copy of the app contains the key, so anyone can read the names and e-mail addresses of all users.',
      user: 'Anyone can sign up and then read the names and e-mail addresses of all users.',
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
    warnings: { user: 'Anyone can sign up and then change or delete what your visitors see.' },
  },
  {
    name: 'push',
    label: 'Who may send push notifications?',
    options: { user: users, manager: managers, nobody },
    warnings: { user: 'Anyone can sign up and then send a message to all your visitors.' },
  },
];

interface OnOff {
  readonly name: 'uploadNeedsUser' | 'deviceNeedsUser';
  readonly label: string;
  readonly about: string;
  readonly warning: string;
}

export const accessSwitches: readonly OnOff[] = [
  {
    name: 'uploadNeedsUser',
    label: 'Only signed-in users may upload files',
    about: 'If off, everyone with the app key can.',
    warning: 'Anyone with a copy of the app can fill the storage with files.',
  },
  {
    name: 'deviceNeedsUser',
    label: 'Only signed-in users may register devices',
    about: 'If off, everyone with the app key can.',
    warning: 'Anyone with a copy of the app can add devices.',
  },
];
