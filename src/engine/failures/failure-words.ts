import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'

/** What happened, and what may be done next; empty: it is nothing that ends a run. */
export type FailureWords = Readonly<Record<Language, readonly [message: string, hint: string]>>

/** Why work ended without its answer, for a person: of runs by the code of their error, and of sub-tasks. */
export const FAILURES: Readonly<Record<string, FailureWords>> = {
  iteration_limit: {
    'zh-CN': ['已达到 max_iterations_total（一次运行的总轮数上限）。', '可以用更大的上限继续（continue）。'],
    en: ['max_iterations_total, the rounds of one run, is used up.', 'Continue with a larger limit to go on.'],
  },
  budget_exhausted: {
    'zh-CN': ['下一次模型调用会超出 max_total_tokens 或 max_cost。', '可以用更大的额度继续（continue）。'],
    en: ['The next model call would exceed max_total_tokens or max_cost.', 'Continue with a larger budget to go on.'],
  },
  unpriced_model: {
    'zh-CN': [
      '有 max_cost（金额上限），但模型或它的后备模型没有这种货币的价格。',
      '可以换个模型、在服务器配置里写上价格（models.别名.price），或改用 max_total_tokens，然后继续（continue）。',
    ],
    en: [
      'There is a max_cost, but the model, or one that it falls back to, has no price in its currency.',
      "Change the model, set its price (models.ALIAS.price in the server's config), or use max_total_tokens, then continue.",
    ],
  },
  deadline: {
    'zh-CN': ['已达到 deadline_ms（运行时间上限）。', '可以用更大的上限继续（continue）。'],
    en: ['deadline_ms, the time of one run, is over.', 'Continue with a larger limit to go on.'],
  },
  task_timeout: {
    'zh-CN': ['子任务用时超过了上限（timeout_ms 或 task_timeout_ms）。', '可以用更大的上限重试这项子任务。'],
    en: [
      'The sub-task took longer than it may (timeout_ms, or task_timeout_ms of the limits).',
      'Retry it with a larger limit.',
    ],
  },
  stuck: {
    'zh-CN': [
      '模型连续多次没有正确调用工具（errors_in_a_row_max）。',
      '可以换个说法、换个模型，或直接继续（continue）。',
    ],
    en: [
      'The model failed to call a tool properly too often in a row (errors_in_a_row_max).',
      'Rephrase, change the model, or continue.',
    ],
  },
  loop: {
    'zh-CN': [
      '模型反复给出同样的回复或同样的调用（repeats_max），提醒后仍然如此。',
      '可以换个说法、换个模型，或直接继续（continue）。',
    ],
    en: [
      'The model gave the same reply or made the same calls again and again (repeats_max), also after it was told.',
      'Rephrase, change the model, or continue.',
    ],
  },
  going_in_circles: {
    'zh-CN': [
      '模型反复做同样的调用并得到同样的结果（repeats_max），提醒后仍然如此。',
      '可以换个说法、换个模型，或直接继续（continue）。',
    ],
    en: [
      'The model made the same calls with the same results again and again (repeats_max), also after it was told.',
      'Rephrase, change the model, or continue.',
    ],
  },
  attempts_exhausted: {
    'zh-CN': ['同一步骤多次中断都没有完成（attempts_max）。', '可以继续（continue）再试。'],
    en: ['The same step was cut off too often before it was done (attempts_max).', 'Continue to try again.'],
  },
  max_plan_rounds: {
    'zh-CN': [
      '已达到 max_plan_rounds（规划轮数上限），答复是根据已有的结果写的。',
      '可以用更大的上限继续（continue）。',
    ],
    en: [
      'max_plan_rounds, the rounds of planning, is used up; the answer is written from what there is.',
      'Continue with a larger limit to go on.',
    ],
  },
  max_rounds: {
    'zh-CN': ['n_round（轮数）已用完。', '可以用 continue 的 n_round 再加轮数继续。'],
    en: ['n_round, the rounds of the team, is used up.', 'Continue with n_round to add rounds.'],
  },
  no_money: {
    'zh-CN': ['下一次模型调用会超出 investment（团队的总预算）。', '可以用更大的 investment 继续（continue）。'],
    en: ['The next model call would exceed the investment of the team.', 'Continue with a larger investment to go on.'],
  },
  team_in_circles: {
    'zh-CN': ['团队一轮又一轮地说着同样的话（repeats_max）。', '可以换个说法，或直接继续（continue）。'],
    en: ['The team says the same things round after round (repeats_max).', 'Rephrase, or continue.'],
  },
  worker_max_rounds: {
    'zh-CN': ['这个团队的 n_round（轮数）已用完（max_rounds），子任务没有做完。', ''],
    en: ['n_round, the rounds of the team that works at this, is used up (max_rounds); the sub-task is not done.', ''],
  },
  worker_no_money: {
    'zh-CN': ['这个团队的下一次模型调用会超出它的 investment（no_money），子任务没有做完。', ''],
    en: [
      'The next model call of the team that works at this would exceed its investment (no_money); the sub-task is not done.',
      '',
    ],
  },
  worker_team_in_circles: {
    'zh-CN': ['这个团队一轮又一轮地说着同样的话（stuck，repeats_max），子任务没有做完。', ''],
    en: [
      'The team that works at this says the same things round after round (stuck, repeats_max); the sub-task is not done.',
      '',
    ],
  },
  worker_stuck: {
    'zh-CN': ['这个团队里的模型连续多次没有正确调用工具（stuck，errors_in_a_row_max），子任务没有做完。', ''],
    en: [
      'A model of the team that works at this failed to call a tool properly too often in a row (stuck, errors_in_a_row_max); the sub-task is not done.',
      '',
    ],
  },
  team_within_team: {
    'zh-CN': [`这个工作代理是一个团队；团队之内不能再有团队（depthMax ${LIMITS.team.depthMax}），子任务没有执行。`, ''],
    en: [
      `This worker is a team, and no team works within a team (depthMax ${LIMITS.team.depthMax}); the sub-task was not run.`,
      '',
    ],
  },
  team_unfit: {
    'zh-CN': ['这个工作代理的团队在这台服务器上无法工作，子任务没有执行：', ''],
    en: ['The team of this worker cannot work on this server; the sub-task was not run:', ''],
  },
  output_invalid: {
    'zh-CN': [
      '答复不符合要求的 JSON 格式（output_schema），再次要求后仍然如此。',
      '可以换个模型、换个说法，然后继续（continue）。',
    ],
    en: [
      'The answer does not fit output_schema, also after it was asked for again.',
      'Change the model or rephrase, then continue.',
    ],
  },
  worker_unavailable: {
    'zh-CN': ['这个工作代理现在没有任何可用的工具，子任务没有执行。', ''],
    en: ['This worker has no tools at the moment; the sub-task was not run.', ''],
  },
  internal_error: {
    'zh-CN': ['服务器内部出错，会话完好。', '可以继续（continue）再试。'],
    en: ['The server broke inside; the session is intact.', 'Continue to try again.'],
  },
  unknown_model: {
    'zh-CN': [
      '这台服务器上没有这个模型（model）。',
      '可以用 config.model 换一个（GET /v1/models），然后继续（continue）。',
    ],
    en: ['This server has no such model.', 'Choose another by config.model (GET /v1/models), then continue.'],
  },
  model_unreachable: {
    'zh-CN': ['无法连接模型服务。', '请检查 api_url 和网络，然后继续（continue）。'],
    en: ['The model service cannot be reached.', 'Check api_url and the network, then continue.'],
  },
  model_timeout: {
    'zh-CN': [
      '模型没有在规定时间内答完。',
      '可以继续（continue）再试，或加大时限：首字节 first_byte_timeout_ms、两次数据之间 idle_timeout_ms、整次调用 timeout_ms。',
    ],
    en: [
      'The model gave no whole answer in its time.',
      'Continue to try again, or raise the limit that was reached: first_byte_timeout_ms before the first byte, idle_timeout_ms between bytes, timeout_ms for the whole call.',
    ],
  },
  model_rejected: {
    'zh-CN': ['模型服务拒绝了请求。', '请看 detail 里服务的原话，检查模型的名称和设置，然后继续（continue）。'],
    en: [
      'The model service refuses the request.',
      "Look at the service's words in detail, check the model's name and settings, then continue.",
    ],
  },
  model_unauthorized: {
    'zh-CN': ['模型服务不接受密钥。', '请检查这个模型的密钥（api_key、api_key_env），然后继续（continue）。'],
    en: ['The model service refuses the key.', "Check the model's key (api_key, api_key_env), then continue."],
  },
  model_rate_limited: {
    'zh-CN': ['模型服务的用量已满，或请求太频繁。', '请稍后继续（continue），或换个模型。'],
    en: [
      'The quota of the model service is used up, or requests come too fast.',
      'Continue a little later, or change the model.',
    ],
  },
  model_unavailable: {
    'zh-CN': ['模型服务暂时不可用。', '请稍后继续（continue），或换个模型。'],
    en: ['The model service does not work at the moment.', 'Continue a little later, or change the model.'],
  },
  model_overflow: {
    'zh-CN': ['对话对这个模型来说太长了。', '可以换个窗口更大的模型（context_tokens）再继续（continue），或另开会话。'],
    en: [
      'The conversation is too long for the model.',
      'Continue with a model of a larger window (context_tokens), or begin a new session.',
    ],
  },
  prompt_too_long: {
    'zh-CN': [
      '提示词和工具放不进这个模型的窗口（context_tokens）。',
      '请关掉用不到的工具（tools.名称.enabled: false；还没有用 "tools_preset": "small" 时，可用它只留最需要的），缩短占用最多的内容，或换个窗口更大的模型，然后继续（continue）。',
    ],
    en: [
      'The prompt and the tools do not fit the window of the model (context_tokens).',
      'Switch off tools that are not needed (tools.NAME.enabled: false, or all but the most needed by "tools_preset": "small" where that is not set yet), shorten what takes most, or take a model of a larger window, then continue.',
    ],
  },
  model_bad_answer: {
    'zh-CN': [
      '模型服务没有给出可以读懂的回答。',
      '可以继续（continue）再试；如果总是这样，请调大 max_tokens（会思考的模型需要更多），或检查 api_url。',
    ],
    en: [
      'The model service gave no answer that can be read.',
      'Continue to try again; if it stays so, raise max_tokens (models that think need more), or check api_url.',
    ],
  },
  model_cancelled: {
    'zh-CN': ['模型调用被取消了。', '可以继续（continue）再试。'],
    en: ['The model call was cancelled.', 'Continue to try again.'],
  },
  address_refused: {
    'zh-CN': [
      '这台服务器不可以访问模型的地址。',
      '请在服务器配置的 models 里设置它，或用公网地址，然后继续（continue）。',
    ],
    en: [
      'The address of the model is not one that this server may call.',
      "Name it in models of the server's config, or use a public one, then continue.",
    ],
  },
}
