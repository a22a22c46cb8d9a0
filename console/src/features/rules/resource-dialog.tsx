import { ActionIcon, Button, Checkbox, Group, Modal, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { PharosError } from '@pharos/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { FailureNote, Icon } from '../../components/page/blocks.tsx';
import { call } from '../../lib/data/api.ts';
import { withSession } from '../../lib/data/signing-in.ts';
import { t } from '../../lib/words/words.ts';
import classes from './dialogs.module.css';
import { RuleList } from './matrix.tsx';
import { bodyOf, type RuleValues, type Verb, withPart } from './rule-values.ts';
import type { Described, Row } from './words.ts';

interface Props {
  readonly appId: string;
  readonly row: Row | undefined;
  readonly values: RuleValues;
  readonly isLocked: boolean;
  readonly onClose: () => void;
  readonly onRule: (row: Row, verb: Verb) => void;
  readonly onApply: (values: RuleValues) => void;
}

/** Everything about one resource: its rules in sentences, who owns a record, and members that are kept from some. */
export function ResourceDialog(props: Props) {
  const { row, onClose } = props;
  return (
    <Modal opened={row !== undefined} onClose={onClose} title={row?.label} size="lg">
      {row && <Parts key={row.name} {...props} row={row} />}
    </Modal>
  );
}

const roles = ['app', 'user', 'manager'] as const;
type Role = (typeof roles)[number];
const roleLabels: Readonly<Record<Role, string>> = {
  app: t('Not signed in'),
  user: t('Signed-in users'),
  manager: t('Managers'),
};

interface Member {
  readonly id: number;
  readonly name: string;
  readonly hidden: readonly Role[];
  readonly readOnly: readonly Role[];
}

let ids = 0;

const membersOf = (members: Described['members']): readonly Member[] =>
  Object.entries(members).map(([name, { hidden = [], readOnly = [] }]) => ({ id: ++ids, name, hidden, readOnly }));

/** The part of the rules that they make; undefined where nothing is kept back. */
function storedMembers(members: readonly Member[]): object | undefined {
  const said = members.filter(({ name }) => name.trim() !== '');
  if (said.length === 0) return undefined;
  return Object.fromEntries(
    said.map(({ name, hidden, readOnly }) => [
      name.trim(),
      { ...(hidden.length > 0 ? { hidden } : {}), ...(readOnly.length > 0 ? { readOnly } : {}) },
    ]),
  );
}

/** What the dialog changes of the rules, and what the service says about it. */
function useParts({ appId, row, values, onApply }: Props & { readonly row: Row }) {
  const { described, group, name } = row;
  const [owner, setOwner] = useState(described.owner);
  const [unowned, setUnowned] = useState(described.unowned);
  const [members, setMembers] = useState(() => membersOf(described.members));
  const next = () => {
    const part = (part: string, value: unknown) => (all: RuleValues) => withPart(all, { group, name, part }, value);
    const steps = [
      ...(owner === described.owner ? [] : [part('owner', owner.trim() === 'createdBy' ? undefined : owner.trim())]),
      ...(unowned === described.unowned ? [] : [part('unowned', unowned)]),
      // If a member that the preset hides is no longer hidden, that must be sent as well: an empty entry.
      ...(JSON.stringify(storedMembers(members)) === JSON.stringify(storedMembers(membersOf(described.members)))
        ? []
        : [part('members', storedMembers(members) ?? {})]),
    ];
    return steps.reduce((all, step) => step(all), values);
  };
  // The service says what is wrong before the dialog is closed.
  const check = useMutation<RuleValues, Error>({
    mutationFn: async () => {
      const changed = next();
      await withSession(() => call('previewAppRules', { params: { appId }, body: bodyOf(changed) }));
      return changed;
    },
    onSuccess: onApply,
  });
  const problem = (field: string) => {
    const details = check.error instanceof PharosError ? check.error.details : [];
    const at = `${group}.${name}.${field}`;
    const found = details.find((one) => one.field === at || one.field.startsWith(`${at}.`));
    return found && t('This {problem}.', { problem: found.problem });
  };
  /** What was wrong may be mended by it. */
  const edit = (work: () => void) => {
    check.reset();
    work();
  };
  return {
    owner,
    setOwner: (value: string) => edit(() => setOwner(value)),
    unowned,
    setUnowned,
    members,
    setMembers,
    change: (id: number, changed: Partial<Member>) =>
      edit(() => setMembers(members.map((one) => (one.id === id ? { ...one, ...changed } : one)))),
    check,
    problem,
  };
}

function Parts(props: Props & { readonly row: Row }) {
  const { row, isLocked, onClose, onRule } = props;
  const { owner, setOwner, unowned, setUnowned, members, setMembers, change, check, problem } = useParts(props);
  const isBucket = row.group === 'buckets';
  const isShown = problem('owner') ?? members.map((one) => problem(`members.${one.name.trim()}`)).find(Boolean);
  return (
    <Stack>
      <RuleList row={row} onRule={onRule} />
      {isBucket && (
        <TextInput
          label={t('Whose is a record?')}
          description={t(
            'createdBy: whoever made it. Or a member that names the owner, or several as a list, such as metadata.assignee. The owner can hand a record over by changing it; nobody else can.',
          )}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={owner}
          error={problem('owner')}
          readOnly={isLocked}
          onChange={({ currentTarget: { value } }) => setOwner(value)}
        />
      )}
      {unowned && <Unowned value={unowned} isLocked={isLocked} onChange={setUnowned} />}
      <div>
        <Title order={3}>{t('Members that are kept back')}</Title>
        <Text c="dimmed" mt={2}>
          {t('A hidden member is not shown, and cannot be searched for. A read-only one can be seen and not written.')}
        </Text>
      </div>
      {members.map((member, index) => (
        <MemberFields
          key={member.id}
          member={member}
          number={index + 1}
          placeholder={isBucket ? 'metadata.email' : t('name')}
          problem={problem(`members.${member.name.trim()}`)}
          isLocked={isLocked}
          onChange={(changed) => change(member.id, changed)}
          onRemove={() => setMembers(members.filter(({ id }) => id !== member.id))}
        />
      ))}
      {!isLocked && (
        <Group>
          <Button
            leftSection={<Icon name="plus" size={16} />}
            onClick={() => setMembers([...members, { id: ++ids, name: '', hidden: ['app', 'user'], readOnly: [] }])}
          >
            {t('Keep a member back')}
          </Button>
        </Group>
      )}
      <FailureNote message={check.error && !isShown ? check.error.message : undefined} />
      <Group justify="flex-end" gap="xs">
        <Button onClick={onClose}>{isLocked ? t('Close') : t('Cancel')}</Button>
        {!isLocked && (
          <Button variant="filled" loading={check.isPending} onClick={() => check.mutate()}>
            {t('Apply')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

interface UnownedProps {
  readonly value: 'user' | 'manager';
  readonly isLocked: boolean;
  readonly onChange: (value: 'user' | 'manager') => void;
}

function Unowned({ value, isLocked, onChange }: UnownedProps) {
  return (
    <NativeSelect
      label={t('What belongs to nobody can be changed and deleted by')}
      description={t('Made without signing in, or before the maker was noted. It counts where a rule says “Own”.')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      data={[
        { value: 'manager', label: t('Managers') },
        { value: 'user', label: t('Every signed-in user') },
      ]}
      value={value}
      disabled={isLocked}
      onChange={(event) => onChange(event.currentTarget.value as 'user' | 'manager')}
    />
  );
}

interface MemberProps {
  readonly member: Member;
  /** From 1. */
  readonly number: number;
  readonly placeholder: string;
  readonly problem: string | undefined;
  readonly isLocked: boolean;
  readonly onChange: (changed: Partial<Member>) => void;
  readonly onRemove: () => void;
}

function MemberFields({ member, number, placeholder, problem, isLocked, onChange, onRemove }: MemberProps) {
  return (
    <fieldset className={`bare ${classes.member}`} disabled={isLocked}>
      <legend className="off-screen">{t('Member {number}', { number })}</legend>
      <div className={classes.memberHead}>
        <TextInput
          label={t('Member')}
          placeholder={placeholder}
          value={member.name}
          error={problem}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <ActionIcon variant="default" size="lg" aria-label={t('Remove member {number}', { number })} onClick={onRemove}>
          <Icon name="trash" size={16} />
        </ActionIcon>
      </div>
      {(['hidden', 'readOnly'] as const).map((which) => (
        <Checkbox.Group
          key={which}
          label={which === 'hidden' ? t('Hidden from') : t('Read-only for')}
          value={[...member[which]]}
          onChange={(chosen) => onChange({ [which]: roles.filter((role) => chosen.includes(role)) })}
        >
          <Group gap="0.4rem 1rem" align="stretch">
            {roles.map((role) => (
              <Checkbox key={role} value={role} label={roleLabels[role]} />
            ))}
          </Group>
        </Checkbox.Group>
      ))}
    </fieldset>
  );
}
