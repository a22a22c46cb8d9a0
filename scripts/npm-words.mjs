/**
 * `npm start --port 9000`, without `--` before the flags: npm takes them for its own settings, passes on what is not a
 * flag (`9000`), and puts the flags into the environment (`npm_config_port=true`; with `--port=9000` the value).
 */

/**
 * Settings of `serve` as flags; `settings.ts` is read as text because the Node that runs this may not know TypeScript.
 */
export function flagsIn(settingsSource) {
  return [...settingsSource.matchAll(/^ +flag: '([a-z-]+)',$/gm)].map(([, flag]) => flag);
}

/**
 * The intended words, and a note on how to write them. Throws when it is unclear which value belongs to which flag.
 * `switches` are flags without a value.
 */
export function wordsFromNpm({ words, environment, flags, switches }) {
  const taken = (flag) => environment[`npm_config_${flag.replaceAll('-', '_')}`];
  const on = switches.filter((flag) => taken(flag) === 'true').map((flag) => `--${flag}`);
  const given = flags.filter((flag) => taken(flag));
  if (environment.npm_lifecycle_event !== 'start' || on.length + given.length === 0) return { words };
  const open = given.filter((flag) => taken(flag) === 'true');
  const values = words.filter((word) => !word.startsWith('-'));
  if (open.length > 1 || (open.length === 1 && values.length !== 1)) {
    const names = open.map((flag) => `--${flag}`);
    throw new Error(
      `npm took ${names.join(' and ')} for ${open.length === 1 ? 'a setting' : 'settings'} of its own. Put -- before the flags: npm start -- ${names.map((name) => `${name} VALUE`).join(' ')}`,
    );
  }
  const rest = open.length === 1 ? words.filter((word) => word !== values[0]) : words;
  const meant = [
    ...on,
    ...given.flatMap((flag) => [`--${flag}`, open.includes(flag) ? values[0] : taken(flag)]),
    ...rest.filter((word) => word.startsWith('-')),
  ];
  const command = rest.filter((word) => !word.startsWith('-'));
  return {
    words: [...command, ...meant],
    note: `npm took flags of Pharos for its own; they are used anyway. Better: npm start -- ${[...command, ...meant].join(' ')}`,
  };
}
