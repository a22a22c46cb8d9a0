import { appPage } from '../../frame/for-roles.tsx';

const senders = appPage('/senders', 'senders.read', () => import('./senders-page.tsx'), 'SendersPage');

export const senderRoutes = [senders] as const;
