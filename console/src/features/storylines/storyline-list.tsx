import type { Storyline } from '@pharos/sdk';
import { Link } from '@tanstack/react-router';
import { textBulk } from '../../components/bulk/bulk-fields.tsx';
import type { Stop } from '../../components/dialogs/stop-dialog.tsx';
import { EnableSwitch } from '../../components/form/enable-switch.tsx';
import { stampFilters, updatedColumn } from '../../components/list/columns.tsx';
import type { ListDefinition } from '../../components/list/list-definition.ts';
import { dataOf } from '../../lib/data/api.ts';
import type { Times } from '../../lib/time/times.ts';
import { rich, t } from '../../lib/words/words.ts';
import { storylineKeys } from './queries.ts';

interface Context {
  readonly appId: string;
  readonly times: Times;
  readonly mayChange: boolean;
}

/** The table of storylines, as data. */
export const storylineList = ({ appId, times, mayChange }: Context): ListDefinition<'listStorylines'> => ({
  operation: 'listStorylines',
  trash: 'storylines',
  bulk: mayChange
    ? {
        kind: 'storylines',
        change: 'patchStoryline',
        remove: 'deleteStoryline',
        hasSwitch: true,
        fields: [textBulk({ label: t('Title'), path: ['title'] })],
        refresh: storylineKeys(appId),
      }
    : undefined,
  plural: t('storylines'),
  searchFields: ['title'],
  searchHint: t('Search by title'),
  defaultOrder: 'title',
  columns: [
    {
      name: 'title',
      label: t('Title'),
      sortBy: 'title',
      render: ({ objectId, title }) => (
        <Link to="/apps/$appId/storylines/$storylineId" params={{ appId, storylineId: objectId }}>
          {title}
        </Link>
      ),
    },
    {
      name: 'isEnabled',
      label: t('On'),
      sortBy: 'isEnabled',
      render: ({ objectId, title, isEnabled }) => (
        <EnableSwitch
          label={t('{title} is on', { title })}
          name={title}
          isOn={isEnabled}
          isLocked={!mayChange}
          refresh={storylineKeys(appId)}
          onChange={(wanted) => dataOf(appId).storylines.update(objectId, { isEnabled: wanted })}
          off={storylineOff(title)}
        />
      ),
    },
    updatedColumn(times),
  ],
  filters: [
    { name: 'title', label: t('Title'), kind: 'text' },
    { name: 'isEnabled', label: t('On'), kind: 'boolean' },
    ...stampFilters,
  ],
});

/** What visitors do without while it is off. */
export const storylineOff = (title: string) =>
  rich('The scenarios of <b>{title}</b> are shown to nobody until it is switched on again.', {
    title,
    b: (inner) => <b>{inner}</b>,
  });

type Shown = Pick<Storyline, 'title' | 'isEnabled'>;

/** What is asked before a storyline goes back to when it was off. */
export const storylineStop = (now: Shown, then: Shown): Stop | undefined =>
  now.isEnabled && !then.isEnabled
    ? { title: t('Switch off {what}', { what: now.title }), confirm: t('Switch off'), text: storylineOff(now.title) }
    : undefined;
