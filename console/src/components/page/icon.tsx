/** Outline icons, 24 by 24, one path each. */
const paths = {
  apps: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.3a3.5 3.5 0 0 1 0 6.4M18 14.2a6.5 6.5 0 0 1 3.5 5.8',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  key: 'M15 4a5 5 0 1 0-4.6 7L4 17.4V20h3v-2h2v-2h2l2.3-2.3A5 5 0 0 0 15 4zM16.5 7.5h.01',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  screen: 'M3 5h18v11H3zM8 20h8M12 16v4',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  leave: 'M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  warning: 'M12 4 2.5 20h19zM12 10v4.5M12 17.5h.01',
  bucket: 'M4 7h16l-2 13H6zM4 7a8 3 0 0 1 16 0',
  next: 'M9 6l6 6-6 6',
  back: 'M15 6l-6 6 6 6',
  up: 'M6 14l6-6 6 6',
  down: 'M6 10l6 6 6-6',
  close: 'M6 6l12 12M18 6L6 18',
  menu: 'M4 7h16M4 12h16M4 17h16',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5',
  filter: 'M4 5h16l-6 8v6l-4-2v-4z',
  beacon: 'M12 11a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3zM8.5 16a5 5 0 1 1 7 0M6 19a9 9 0 1 1 12 0',
  rules: 'M5 4h14v16H5zM8.5 9l1.5 1.5L12.5 8M8.5 15l1.5 1.5 2.5-2.5M15 9.5h1M15 15.5h1',
  settings: 'M4 7h10M18 7h2M16 5v4M4 17h2M10 17h10M8 15v4',
  map: 'M9 4 3.5 6.5v13L9 17l6 3 5.5-2.5v-13L15 7zM9 4v13M15 7v13',
  table: 'M4 5h16v14H4zM4 10h16M10 5v14',
  edit: 'M4 20l1-4L16 5l3 3L8 19z',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  code: 'M9 7l-5 5 5 5M15 7l5 5-5 5',
  pulse: 'M3 12h4l3-7 4 14 3-7h4',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4',
  antenna: 'M12 12v9M8 21h8M8.5 15.5a5 5 0 1 1 7 0M5.5 18a9 9 0 1 1 13 0',
  story: 'M5 4h9l5 5v11H5zM14 4v5h5M8.5 13h7M8.5 16.5h5',
  megaphone: 'M4 5l17 7-17 7 3-7zM7 12h14',
  picture: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 8.5h.01',
  play: 'M4 5h16v14H4zM10 9l5 3-5 3z',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  upload: 'M12 16V5M7 9l5-5 5 5M5 20h14',
  home: 'M4 11 12 4l8 7M6 9.5V20h4.5v-6h3v6H18V9.5',
  activity: 'M3 12h4l3-7 4 14 3-7h4',
  phone: 'M7 3h10v18H7zM11 18h2',
  device: 'M7 7h10v10H7zM10 7V4M14 7V4M10 20v-3M14 20v-3M7 10H4M7 14H4M20 10h-3M20 14h-3',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5a7.5 7.5 0 0 1 15 0',
  clock: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 7.5V12l3 2',
  shield: 'M12 3l7 3v5.5c0 4.5-3 7.7-7 9.5-4-1.8-7-5-7-9.5V6zM9 12l2 2 4-4',
  send: 'M4 12 20 4l-5 16-4-6zM20 4 11 14',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}
