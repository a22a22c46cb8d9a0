import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { SettingsForm } from '../../components/form/page-form.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { Block, TechnicalDetails } from '../../components/page/blocks.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { useMay } from '../../lib/data/access.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { policyLabels } from '../../lib/text/policy-labels.ts';
import type { App } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { changeApp, settingsOf } from './app-settings.ts';
import { ConsentRules } from './consent-rules.tsx';
import { ConsentTexts, cleanConsentTexts } from './consent-texts.tsx';
import { cleanPasskeys, FactorRules } from './factor-rules.tsx';
import { FindSetting, type Found, useFound } from './find-setting.tsx';
import { LimitRules, UserRules } from './limit-rules.tsx';
import { ApprovalRules, DeliveryPolicy, ProximityRules } from './message-policy.tsx';
import { PhoneRules } from './phone-rules.tsx';
import type { Policy, PolicyFields } from './rule-parts.tsx';
import classes from './rules.module.css';
import { policyStop } from './stops.ts';
import { KeepingRules, QuotaRules } from './storage-rules.tsx';

const route = getRouteApi('/signed-in/apps/$appId/policy');

/** The policy of an app: limits, quotas, delivery and retention. Who may read and write what is in its rules. */
export function PolicySection() {
  const { appId } = route.useParams();
  const { data: app } = useQuery(appQuery(appId));
  return app ? <PolicyForm key={app.appId} app={app} /> : null;
}

function PolicyForm({ app }: { readonly app: App }) {
  const isLocked = !useMay()('apps.change');
  const shared = useRecordForm<App, Policy, App>({
    name: `policy ${app.appId}`,
    record: app,
    ...settingsOf(app.appId),
    fieldsOf: (stored = app) => stored.policy,
    bodyOf: (policy) => ({
      ...policy,
      passkeys: cleanPasskeys(policy.passkeys),
      consentTexts: cleanConsentTexts(policy.consentTexts),
    }),
    change: (policy, ifMatch) => changeApp(app.appId, { policy }, ifMatch),
    stop: (before, after) => policyStop(app.name, before, after),
    done: t('The limits are saved.'),
    labels: policyLabels,
  });
  const { form: fields } = shared;
  const found = useFound(route.useSearch().find);
  const technical = partsOfTechnique(app, fields);
  return (
    <SettingsForm
      shared={shared}
      isLocked={isLocked}
      names={Object.keys(app.policy).flatMap((name) => [name, `${name}.`, `policy.${name}`, `policy.${name}.`])}
      submit={t('Save the limits')}
    >
      <PageHeader title={t('Limits')}>
        {t(
          'How much, how often messages are shown, and how long records are kept.{isLocked, select, true { Your role can read it. Owners and managers can change it.} other {}}',
          { isLocked },
        )}
      </PageHeader>
      <FindSetting found={found} />
      <fieldset ref={found.ref} disabled={isLocked} className={`bare ${classes.fieldset}`}>
        <Parts parts={partsOfMessages(app, fields)} found={found} />
        <div hidden={technical.every(({ title }) => found.isHidden(title))}>
          <TechnicalDetails isOpen={found.word !== '' || technicalNames.some((name) => fields.problemWithin(name))}>
            <Parts parts={technical} found={found} />
          </TechnicalDetails>
        </div>
      </fieldset>
    </SettingsForm>
  );
}

/** What the technical parts set: a problem there opens them. */
const technicalNames = [
  'tokenDays',
  'tokenMinutes',
  'passwordMinLength',
  'passwordResetUrl',
  'emailVerification',
  'verificationUrl',
  'signInLinkUrl',
  'pairingUrl',
  'totp',
  'passkeys',
  'selfErasure',
  'installationProof',
  'rateLimit',
  'quotas',
] as const satisfies readonly (keyof Policy)[];

interface Part {
  readonly title: string;
  readonly about?: string;
  readonly content: ReactNode;
}

function Parts({ parts, found }: { readonly parts: readonly Part[]; readonly found: Found }) {
  return parts.map(({ title, about, content }) => (
    <div key={title} hidden={found.isHidden(title)}>
      <Block title={title} about={about}>
        {content}
      </Block>
    </div>
  ));
}

/** What those decide who make the app: how people sign in, and how much a client may send. */
function partsOfTechnique(app: App, fields: PolicyFields): readonly Part[] {
  return [
    { title: t('Users of the app'), content: <UserRules fields={fields} /> },
    {
      title: t('Second factor and passkeys'),
      about: t('What users of the app prove beside the password, or instead of it.'),
      content: <FactorRules fields={fields} stored={app.policy} />,
    },
    {
      title: t('Phones'),
      about: t('How sure the service is that what comes in the name of a phone comes from it.'),
      content: <PhoneRules fields={fields} />,
    },
    {
      title: t('Limits'),
      about: t('Per client address, so that one client cannot use up the service.'),
      content: <LimitRules fields={fields} />,
    },
    {
      title: t('Quotas'),
      about: t(
        'What the app may store, and how much clients may add in an hour: uploads per client address and per user, pushes for all ordinary users together. Managers have a separate push quota of the same size. Hourly quotas do not apply to this console.',
      ),
      content: <QuotaRules appId={app.appId} fields={fields} />,
    },
  ];
}

function partsOfMessages({ appId }: App, fields: PolicyFields): readonly Part[] {
  return [
    {
      title: t('How often messages are shown'),
      about: t('For all messages of the app. Each of them can have different rules.'),
      content: <DeliveryPolicy fields={fields} />,
    },
    {
      title: t('Pushes to many'),
      about: t('A slip at the keyboard reaches every visitor at once.'),
      content: <ApprovalRules fields={fields} />,
    },
    {
      title: t('Near a beacon'),
      about: t(
        'How certain the service has to be that a visitor has come near, and how long a message about it stays useful.',
      ),
      content: <ProximityRules fields={fields} />,
    },
    {
      title: t('Consent of visitors'),
      about: t(
        'What the service may do with a phone that has told it nothing about messages, analytics or its link to an account.',
      ),
      content: <ConsentRules fields={fields} />,
    },
    {
      title: t('What visitors are asked'),
      about: t('The app shows these texts and sends the visitor’s answers, also without a network.'),
      content: <ConsentTexts appId={appId} fields={fields} />,
    },
    {
      title: t('How long records are kept'),
      about: t(
        'In days. Older records are deleted. With 0, logs and positions stay until the next hour, the others for two hours at most.',
      ),
      content: <KeepingRules fields={fields} />,
    },
  ];
}
