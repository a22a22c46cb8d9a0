import type { Endpoint, Tag } from '../../../http/endpoint.ts';
import type { Context } from '../../context.ts';

/** What all endpoints about the surveys of a floor share. */

export const surveyTag: Tag = {
  name: 'Surveys',
  description: 'Walks through a floor with a phone, from which the service learns how beacons are heard there.',
  place: 14,
  console: { read: 'venues.read', write: 'venues.write', byVenue: true },
};

/** Who may change the floor may survey it, and sees what that has shown. */
export const surveyGrant = { of: 'floors', verb: 'update' } as const;
export const floorParameter = { objectId: 'The objectId of the floor' };

export type SurveyedFloor = Awaited<ReturnType<Context['findFloorToSurvey']>>;

export const locateFloor =
  ({
    db,
    findFloorToSurvey,
  }: Pick<Context, 'db' | 'findFloorToSurvey'>): NonNullable<Endpoint<undefined, SurveyedFloor>['locate']> =>
  (call) =>
    findFloorToSurvey(db, call, call.params['objectId'] ?? '');
