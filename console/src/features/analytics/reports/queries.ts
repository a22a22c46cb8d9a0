import { queryOptions } from '@tanstack/react-query';
import { call, queryOf } from '../../../lib/data/api.ts';

/** An administrator who can get a report. */
export interface Candidate {
  readonly adminId: string;
  readonly name: string;
  readonly email: string;
  /** The venues to which she is limited; null: none. */
  readonly venueIds: readonly string[] | null;
}

/** How often a page is read again, ms: reports are sent at any time. */
const refreshMs = 15_000;

export const reportsKey = (appId: string) => ['apps', appId, 'reports'] as const;

export const reportsQuery = (appId: string) =>
  queryOptions({
    queryKey: reportsKey(appId),
    queryFn: () => call('listReports', { params: { appId } }),
    refetchInterval: refreshMs,
  });

export const reportQuery = (appId: string, reportId: string) => ({
  ...queryOf([...reportsKey(appId), reportId], 'getReport', { params: { appId, reportId } }),
  refetchInterval: refreshMs,
});

export const previewQuery = (appId: string, reportId: string) => ({
  ...queryOf([...reportsKey(appId), reportId, 'preview'], 'previewReport', { params: { appId, reportId } }),
  staleTime: 60_000,
});
