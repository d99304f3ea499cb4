import { describe, expect, it } from 'vitest'
import { questionOfTool, withSubject } from '../../src/event/question.ts'

const ask = (tool: string, input: unknown) => questionOfTool(tool, input, 'payload')

describe('the question of a tool', () => {
  it.each<[string, unknown, object]>([
    [
      'Bash',
      { command: 'ls', description: 'Lists' },
      { about: 'command', subject: 'ls', detail: 'Lists' },
    ],
    ['Bash', { command: 'ls', description: 'ls' }, { about: 'command', subject: 'ls', detail: '' }],
    ['shell', { command: ['ls', '-l'] }, { about: 'command', subject: 'ls -l' }],
    ['shell', { command: ['ls', 1] }, { about: 'tool', subject: '' }],
    ['Edit', { file_path: '/a', old: 'x' }, { about: 'file', subject: '/a' }],
    ['', { command: 'ls' }, { about: 'command', subject: 'ls' }],
    ['mcp__x__y', {}, { about: 'tool', tool: 'mcp__x__y', subject: '' }],
    [
      'mcp__x__y',
      { title: ' Login ', count: 3, urgent: false, list: [1], empty: null, reason: 'Broken' },
      { about: 'tool', subject: 'title: Login, count: 3, urgent: false', detail: 'Broken' },
    ],
    ['mcp__x__y', { text: 'a'.repeat(300) }, { subject: `text: ${'a'.repeat(199)}…` }],
    [
      'mcp__x__login',
      { username: 'me', password: 'correct horse', apiKey: 'a', page_token: '', max_tokens: 5 },
      {
        subject:
          'username: me, password: [redacted], apiKey: [redacted], page_token: , max_tokens: 5',
      },
    ],
    [
      'mcp__browser__type',
      { element: 'Password field', ref: 'e12', text: 'correct horse', submit: true },
      { subject: 'element: Password field, ref: e12, text: [redacted], submit: true' },
    ],
    [
      'mcp__x__env',
      { key: 'DB_PASSWORD', value: 'a' },
      { subject: 'key: DB_PASSWORD, value: [redacted]' },
    ],
    [
      'mcp__browser__type',
      { element: 'Search', text: 'a' },
      { subject: 'element: Search, text: a' },
    ],
    [
      'mcp__x__connect',
      { note: `${'a '.repeat(88)}postgres://app:hunter2hunter2hunter2@db/app` },
      { subject: `note: ${'a '.repeat(88).trimEnd()}…` },
    ],
    [
      'dialog',
      { questions: [{ question: 'A?', options: ['x', ' y ', { label: 'z' }, 3, ''] }, 7] },
      { about: 'question', subject: 'A?', choices: ['x', 'y', 'z'] },
    ],
    [
      'dialog',
      { questions: [{ question: 'A?', options: ['x'] }, { question: 'B?' }] },
      { about: 'question', subject: 'A? (1 of 2)\n1. x\n\nB?', choices: [], count: 2 },
    ],
    ['dialog', { questions: [], message: 'Well?' }, { about: 'question', subject: 'Well?' }],
    ['AskUserQuestion', { question: 'A?' }, { about: 'question', subject: 'A?' }],
    ['ask_user_question', { question: 'A?' }, { about: 'question', subject: 'A?' }],
    ['ask_user', { question: 'A?' }, { about: 'question', subject: 'A?' }],
    ['exit_plan_mode', { plan: '# Plan' }, { about: 'plan', subject: '# Plan' }],
    [
      'AskUser',
      { questionnaire: '1. [question]  A?\n[topic] t\n  [option]  x \n[option] y' },
      { about: 'question', subject: 'A?', choices: ['x', 'y'] },
    ],
    [
      'AskUser',
      { questionnaire: '1. [question] A? (multi)\n[option] x\n2. [question] B?\n[option] y' },
      { about: 'question', subject: 'A? (1 of 2)\n1. x\n\nB?', choices: ['y'], count: 2 },
    ],
    [
      'AskUserQuestion',
      {
        questions: [
          {
            question: 'Which store?',
            options: [{ label: 'SQLite', description: 'One file,\nno server' }, { label: 'Redis' }],
          },
          { question: 'What else?', multiSelect: true, options: ['Logs', 'Metrics'] },
        ],
      },
      {
        subject:
          'Which store? (1 of 2, choose one)\n1. SQLite: One file, no server\n2. Redis\n\nWhat else?',
        choices: ['Logs', 'Metrics'],
        ...{ isMultiple: true, count: 2 },
      },
    ],
    ['ExitPlanMode', { plan: '# Plan' }, { about: 'plan', subject: '# Plan' }],
  ])('is read from a call of %j with %j', (tool, input, expected) => {
    expect(ask(tool, input)).toMatchObject(expected)
  })

  it.each<[string, object, string | undefined]>([
    ['Edit', { file_path: '/a', old_string: 'a\nb\nc', new_string: 'a\nB\nc' }, '- b\n+ B'],
    ['Edit', { file_path: '/a', old_str: '', new_str: 'x\ny\n' }, '+ x\n+ y'],
    ['edit', { filePath: '/a', oldString: 'x', newString: '' }, '- x'],
    [
      'MultiEdit',
      {
        file_path: '/a',
        edits: [
          { old_string: 'a', new_string: 'b' },
          { old_string: 'c', new_string: 'd' },
        ],
      },
      '- a\n+ b\n- c\n+ d',
    ],
    ['Write', { file_path: '/a', content: 'x\ny\n' }, '+ x\n+ y'],
    ['edit', { path: '/a', diff: '--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n z' }, '-x\n+y'],
    ['Edit', { file_path: '/a', old_string: 1, new_string: ['x'] }, undefined],
    ['Bash', { command: 'ls', content: 'x' }, undefined],
    ['Read', { file_path: '/a' }, undefined],
  ])('shows what %s would change: %j', (tool, input, change) => {
    expect(ask(tool, input)?.change).toBe(change)
  })

  it('is unknown if neither the tool nor what it acts on is known', () => {
    expect(ask('', { list: [] })).toBeUndefined()
    expect(ask('', 'text')).toBeUndefined()
  })

  it.each([
    ['May I?', 'ls', 'May I?: ls'],
    ['May I run ls?', 'ls', 'May I run ls?'],
    ['', 'ls', ''],
    ['May I?', '', 'May I?'],
  ])('is added to the message %j as %j: %j', (message, subject, expected) => {
    expect(withSubject(message, subject)).toBe(expected)
  })
})
