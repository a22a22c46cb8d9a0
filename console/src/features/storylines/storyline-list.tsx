import { Link } from '@tanstack/react-router';
import { EnableSwitch } from '../../components/form/enable-switch.tsx';
import { stampFilters, updatedColumn } from '../../components/list/columns.tsx';
import type { ListDefinition } from '../../components/list/list-definition.ts';
import { dataOf } from '../../lib/data/api.ts';
import type { Times } from '../../lib/time/times.ts';
import { storylineKeys } from './queries.ts';

interface Context {
  readonly appId: string;
  readonly times: Times;
  readonly mayChange: boolean;
}

/** The table of storylines, as data. */
export const storylineList = ({ appId, times, mayChange }: Context): ListDefinition<'listStorylines'> => ({
  operation: 'listStorylines',
  plural: 'storylines',
  searchFields: ['title'],
  searchHint: 'Search by title',
  defaultOrder: 'title',
  columns: [
    {
      name: 'title',
      label: 'Title',
      sortBy: 'title',
      render: ({ objectId, title }) => (
        <Link to="/apps/$appId/storylines/$storylineId" params={{ appId, storylineId: objectId }}>
          {title}
        </Link>
      ),
    },
    {
      name: 'isEnabled',
      label: 'On',
      sortBy: 'isEnabled',
      render: ({ objectId, title, isEnabled }) => (
        <EnableSwitch
          label={`${title} is on`}
          name={title}
          isOn={isEnabled}
          isLocked={!mayChange}
          refresh={storylineKeys(appId)}
          onChange={(wanted) => dataOf(appId).storylines.update(objectId, { isEnabled: wanted })}
        />
      ),
    },
    updatedColumn(times),
  ],
  filters: [
    { name: 'title', label: 'Title', kind: 'text' },
    { name: 'isEnabled', label: 'On', kind: 'boolean' },
    ...stampFilters,
  ],
});
