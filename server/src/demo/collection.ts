/** The museum's records, people, devices and pushes. None of these people exist. */

export const exhibitColumns = {
  title: { type: 'String' },
  hall: { type: 'String' },
  kind: { type: 'String' },
  year: { type: 'Number' },
  onDisplay: { type: 'Boolean' },
  acquiredAt: { type: 'Date' },
} as const;

export interface Exhibit {
  readonly title: string;
  readonly hall: string;
  readonly kind: string;
  readonly year: number;
  readonly onDisplay: boolean;
}

const rows: readonly (readonly [title: string, hall: string, kind: string, year: number])[] = [
  ['Skeleton of a minke whale', 'whale', 'zoology', 1911],
  ['Baleen plate', 'whale', 'zoology', 1908],
  ['Harpoon without a point', 'whale', 'tool', 1862],
  ['Shore crab', 'tidepool', 'zoology', 2019],
  ['Beadlet anemone', 'tidepool', 'zoology', 2021],
  ['Common starfish', 'tidepool', 'zoology', 2020],
  ['Guillemot with egg', 'seabirds', 'zoology', 1893],
  ['Black-legged kittiwake', 'seabirds', 'zoology', 1897],
  ['Razorbill', 'seabirds', 'zoology', 1901],
  ["Ship's bell of the Ebba", 'wreck', 'wreck', 1884],
  ['Oak rudder', 'wreck', 'wreck', 1797],
  ['Chest with coins', 'wreck', 'wreck', 1741],
  ['Fresnel lens, first order', 'lens', 'light', 1868],
  ['Oil lamp with five wicks', 'lens', 'light', 1871],
  ['Spare prism', 'lens', 'light', 1868],
  ['Clockwork with weight', 'clockwork', 'light', 1869],
  ['Fog bell', 'foghorn', 'signal', 1856],
  ['Compressed-air horn', 'foghorn', 'signal', 1912],
  ['Iron stove', 'kitchen', 'household', 1880],
  ['Log book of the station', 'kitchen', 'paper', 1899],
  ['Tin of ship biscuit', 'kitchen', 'household', 1915],
  ['Model of the harbour', 'harbour', 'model', 1954],
  ['Sea chart of the skerries', 'maps', 'paper', 1788],
  ['Brass sextant', 'maps', 'instrument', 1834],
  ['Spark transmitter', 'radio', 'instrument', 1907],
  ['Morse key', 'radio', 'instrument', 1921],
  ['Barograph with the gale of 1902', 'storm', 'instrument', 1898],
  ['Oilskin coat', 'storm', 'clothing', 1926],
  ['Star projector', 'cinema', 'instrument', 1961],
  ['Ammonite', 'fossils', 'fossil', 1903],
  ['Sea lily', 'fossils', 'fossil', 1877],
  ['Sugar kelp, pressed', 'herbarium', 'botany', 1874],
  ['Dulse, pressed', 'herbarium', 'botany', 1876],
  ["Keeper's bed", 'bedroom', 'household', 1872],
  ['Watch bell', 'bedroom', 'signal', 1872],
  ['Lantern glass', 'lantern', 'light', 1867],
];

export const exhibits: readonly Exhibit[] = rows.map(([title, hall, kind, year], index) => ({
  title,
  hall,
  kind,
  year,
  onDisplay: index % 9 !== 8,
}));

export interface PersonPlan {
  readonly firstname: string;
  readonly lastname: string;
  readonly email: string;
  readonly country: string;
  readonly role: 'user' | 'manager';
}

const person = (
  [firstname, lastname]: readonly [string, string],
  [country, role]: readonly [string, PersonPlan['role']],
): PersonPlan => {
  const email = `${firstname}.${lastname}@skerrypoint.example`.toLowerCase();
  return { firstname, lastname, email, country, role };
};

/** The first one writes messages and sends pushes. */
export const people: readonly PersonPlan[] = [
  person(['Marit', 'Lantern'], ['DK', 'manager']),
  person(['Jonas', 'Skerry'], ['DK', 'manager']),
  person(['Ada', 'Seafarer'], ['GB', 'user']),
  person(['Bruno', 'Tidewater'], ['DE', 'user']),
  person(['Clara', 'Gullstone'], ['SE', 'user']),
  person(['Emil', 'Driftwood'], ['DK', 'user']),
  person(['Freya', 'Saltmarsh'], ['NO', 'user']),
  person(['Hugo', 'Windward'], ['NL', 'user']),
];

export const demoDevices: readonly {
  readonly deviceName: string;
  readonly manufacture: string;
  readonly topic: string;
}[] = [
  { deviceName: 'Entrance display', manufacture: 'Skerry Works', topic: 'skerrypoint/entrance' },
  { deviceName: 'Whale Hall speaker', manufacture: 'Skerry Works', topic: 'skerrypoint/whale' },
  { deviceName: 'Lens lamp control', manufacture: 'Fresnel Systems', topic: 'skerrypoint/lens' },
  { deviceName: 'Fog horn timer', manufacture: 'Fresnel Systems', topic: 'skerrypoint/foghorn' },
  { deviceName: 'Café board', manufacture: 'Skerry Works', topic: 'skerrypoint/cafe' },
];

export interface PushPlan {
  readonly title: string;
  readonly alert: string;
  readonly daysAgo: number;
  /** Undefined: everybody. */
  readonly where?: { readonly channels?: string; readonly deviceType?: string };
}

export const pushPlans: readonly PushPlan[] = [
  {
    title: 'Tide tour on Sunday',
    alert: 'Low water is at eleven. Bring boots.',
    daysAgo: 4,
    where: { channels: 'news' },
  },
  {
    title: 'Long Thursday',
    alert: 'The lantern is open until eight this evening.',
    daysAgo: 17,
    where: { channels: 'news' },
  },
  { title: 'New in the Storm Gallery', alert: 'Hear the gale of 1902.', daysAgo: 44 },
  { title: 'Family weekend', alert: 'Build a lighthouse from paper.', daysAgo: 71, where: { channels: 'families' } },
  {
    title: 'A new guide for iPhone',
    alert: 'Update the guide to find your way by floor.',
    daysAgo: 102,
    where: { deviceType: 'ios' },
  },
  { title: 'Summer hours', alert: 'From tomorrow we are open every day of the week.', daysAgo: 139 },
  {
    title: 'The kittiwakes are back',
    alert: 'Watch them from the Seabird Cliff.',
    daysAgo: 188,
    where: { channels: 'news' },
  },
  { title: 'Night of the museums', alert: 'Tonight we are open until midnight.', daysAgo: 226 },
  {
    title: 'Family weekend',
    alert: 'The treasure trail has a new ending.',
    daysAgo: 263,
    where: { channels: 'families' },
  },
  { title: 'Winter hours', alert: 'We close at five from Monday on.', daysAgo: 301, where: { channels: 'news' } },
];
