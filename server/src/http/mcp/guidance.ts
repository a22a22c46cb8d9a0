/** What an agent is given to work with besides tools. */

export const instructions = `Pharos is the backend of an app that uses proximity beacons: it stores beacons, venues, users and data, decides
from what phones sense which messages a visitor is shown, and keeps why. Records have an objectId; pointers to them look like
{"__type":"Pointer","className":"Beacon","objectId":"…"}. Lists take where (a JSON object), order, skip, limit and count. Times are UTC.
What a rule or the key's scopes hide is absent, not an error. The handbook is among the resources: pharos://handbook/interface explains
lists, pharos://handbook/glossary the words.`;

interface Argument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  write(given: Readonly<Record<string, string>>): string;
}

const written: readonly Prompt[] = [
  {
    name: 'why-not-told',
    title: 'Why was this visitor not told?',
    description: 'Finds out why a visitor has not been shown a message.',
    arguments: [
      { name: 'visitor', description: 'E-mail, name, user or installation id', required: true },
      { name: 'message', description: 'The message that was expected; all without it', required: false },
      { name: 'when', description: 'About when, such as yesterday afternoon', required: false },
    ],
    write: ({ visitor, message, when }) =>
      `Find out why the visitor ${visitor} was not shown ${message ? `the message “${message}”` : 'a message'}${when ? ` (${when})` : ''}.

1. Find the visitor's installations: the user by e-mail or name, then the installations of that user. If there is none, the app on the phone is not linked to the person; say so.
2. List the installation's events and visits around that time. If there are none, the phone has sensed nothing: say since when, and what it last reported.
3. For each event near the message's place read its verdicts: they name each message and the reason why it was shown or not.
4. If it was to be shown, read the deliveries and the push that carried it.

Answer in two or three sentences that an editor understands: what happened, why, and what to change if it should be otherwise. Name no ids but the visitor's.`,
  },
  {
    name: 'plan-campaign',
    title: 'Plan a campaign',
    description: 'Drafts messages for places and times, from what visitors did.',
    arguments: [
      { name: 'goal', description: 'What it is to achieve', required: true },
      { name: 'period', description: 'When, such as the Saturdays in December', required: false },
    ],
    write: ({ goal, period }) =>
      `Plan a campaign with this goal: ${goal}.${period ? ` Period: ${period}.` : ''}

1. List venues, zones and beacons, and the messages that exist, so that nothing is said twice.
2. Read the numbers of the same weekdays in the last weeks: visitors by place and hour, dwell times, ways.
3. Propose at most three messages. For each: the text in every language that the app has, where and on which event, on which days and hours, at most how often for each visitor, and how many visitors that would have reached, with the assumption.
4. Say how its effect will be seen (a control group, or the weeks before).

Change nothing before the proposal is accepted. Then make the messages switched off, and say where to switch them on.`,
  },
];

export const prompts = written.map(({ write: _, ...prompt }) => ({ ...prompt, arguments: [...prompt.arguments] }));

/** The text of a prompt, or what is wrong with the request. */
export function promptOf(name: string, given: Readonly<Record<string, string>>) {
  const prompt = written.find((one) => one.name === name);
  if (!prompt) return `There is no prompt ${name}.`;
  const absent = prompt.arguments.find((one) => one.required && !given[one.name]);
  if (absent) return `${absent.name} is missing: ${absent.description}.`;
  const text = prompt.write(given);
  return {
    description: prompt.description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
  };
}
